// A CUPTI that remembers its subscribers; the calls are made by fake_driver.cpp.
#include "fake_cupti.hpp"

#include <cstdint>
#include <set>

namespace {

CUpti_CallbackFunc callback = nullptr;

std::set<CUpti_CallbackId>& enabled() {
  static auto* const instance = new std::set<CUpti_CallbackId>;
  return *instance;
}

} // namespace

CUpti_CallbackFunc memviz_fake_callback() {
  return callback;
}

bool memviz_fake_is_enabled(CUpti_CallbackId call) {
  return enabled().contains(call);
}

// NOLINTBEGIN(readability-inconsistent-declaration-parameter-name): CUPTI's names are not ours
CUptiResult cuptiSubscribe(CUpti_SubscriberHandle* subscriber, CUpti_CallbackFunc function, void*) {
  callback = function;
  *subscriber = reinterpret_cast<CUpti_SubscriberHandle>(1); // NOLINT(performance-no-int-to-ptr)
  return CUPTI_SUCCESS;
}

CUptiResult cuptiUnsubscribe(CUpti_SubscriberHandle) {
  return CUPTI_SUCCESS;
}

CUptiResult cuptiEnableCallback(std::uint32_t, CUpti_SubscriberHandle, CUpti_CallbackDomain domain,
                                CUpti_CallbackId call) {
  if (domain == CUPTI_CB_DOMAIN_DRIVER_API) enabled().insert(call);
  return CUPTI_SUCCESS;
}

/// Contexts 1 and 2 are on device 0, context 3 is on device 1.
CUptiResult cuptiGetDeviceId(CUcontext context, std::uint32_t* device) {
  *device = reinterpret_cast<std::uintptr_t>(context) == 3 ? 1 : 0;
  return CUPTI_SUCCESS;
}

CUptiResult cuptiGetResultString(CUptiResult, const char** text) {
  *text = "made up";
  return CUPTI_SUCCESS;
}
// NOLINTEND(readability-inconsistent-declaration-parameter-name)
