#pragma once

// The functions of the made-up CUPTI in addition to CUPTI's own.

#include <cupti.h>

extern "C" {
/// Returns the callback that inject.cpp subscribed.
CUpti_CallbackFunc memviz_fake_callback();
/// Whether it subscribed to this call of the driver.
bool memviz_fake_is_enabled(CUpti_CallbackId call);
}
