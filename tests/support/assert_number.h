/* cmocka assertions for doubles, which print both numbers in full. */
#ifndef TESTS_SUPPORT_ASSERT_NUMBER_H
#define TESTS_SUPPORT_ASSERT_NUMBER_H

/* Fails the running test at file:line unless |value - wanted| <= tolerance. */
void number_check(double value, double wanted, double tolerance, const char *file, int line);

/* Within `tolerance` of wanted; 0 = equal. */
#define assert_number(value, wanted, tolerance) \
    number_check((value), (wanted), (tolerance), __FILE__, __LINE__)

/* Within `relative` times |wanted|. */
#define assert_close(value, wanted, relative) \
    number_check((value), (wanted), (relative) * ((wanted) < 0 ? -(wanted) : (wanted)), __FILE__, \
                 __LINE__)

#endif
