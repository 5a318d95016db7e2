#include "cupti_library.hpp"

#include <doctest/doctest.h>

#include <stdexcept>

using namespace memviz::inject;
using Names = std::vector<std::string>;

TEST_CASE("inject: a driver of CUDA 12 is not asked for CUPTI 13") {
  CHECK(cupti_names(12040) == Names{"libcupti.so.12"});
  CHECK(cupti_names(13000) == Names{"libcupti.so.13", "libcupti.so.12"});
  CHECK(cupti_names(0) == Names{"libcupti.so.13", "libcupti.so.12"});
}

TEST_CASE("inject: what is missing is named") {
  const auto message = [](const CuptiSearch& search) -> std::string {
    try {
      return open_cupti(search) == nullptr ? "(null)" : "(found)";
    } catch (const std::runtime_error& error) {
      return error.what();
    }
  };
  CHECK(message({"", {"libmissing.so.13", "libmissing.so.12"}, {"/no/such"}})
            .starts_with("CUPTI is missing: neither libmissing.so.13 nor libmissing.so.12 was found"));
  CHECK(message({"", {"libmissing.so.12"}, {}}).starts_with("CUPTI is missing: no libmissing.so.12 was found"));
  CHECK(message({"/no/such/libcupti.so", {"libc.so.6"}, {}}).starts_with("MEMVIZ_CUPTI: /no/such/libcupti.so"));
  CHECK(message({"", {"libmissing.so", "libc.so.6"}, {}}) == "(found)"); // this one is loaded already
}
