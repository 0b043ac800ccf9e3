/* Mail: names of receivers and letters, for who configures and checks them.
 */
#ifndef ALERTS_MAIL_MAIL_H
#define ALERTS_MAIL_MAIL_H

#include "alerts/mail/mail_letter.h"
#include "alerts/mail/mail_name.h"

#endif
