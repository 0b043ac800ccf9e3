/* Implements the assertions for doubles. */
#include "tests/support/assert_number.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

void number_check(double value, double wanted, double tolerance, const char *file, int line)
{
    if (fabs(value - wanted) <= tolerance)
        return;
    print_error("%.17g, wanted %.17g within %g\n", value, wanted, tolerance);
    _fail(file, line);
}
