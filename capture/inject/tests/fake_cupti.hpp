#pragma once

// What the made-up CUPTI has beside CUPTI's own functions.

#include <cupti.h>

extern "C" {
/// What inject.cpp subscribed with.
CUpti_CallbackFunc memviz_fake_callback();
/// Whether it asked for this call of the driver.
bool memviz_fake_is_enabled(CUpti_CallbackId call);
}
