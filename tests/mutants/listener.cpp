// Notes in the log of switch.hpp which file's tests begin, before the mutants that they reach.

#include "mutants/switch.hpp"

#include <doctest/doctest.h>

namespace {

struct Listener : doctest::IReporter {
  explicit Listener(const doctest::ContextOptions& /*options*/) {}
  void test_case_start(const doctest::TestCaseData& test) override {
    for (std::atomic<bool>& mark : mutants::reached)
      mark = false;
    mutants::note("= ", test.m_file.c_str());
  }
  void report_query(const doctest::QueryData& /*data*/) override {}
  void test_run_start() override {}
  void test_run_end(const doctest::TestRunStats& /*stats*/) override {}
  void test_case_reenter(const doctest::TestCaseData& /*test*/) override {}
  void test_case_end(const doctest::CurrentTestCaseStats& /*stats*/) override {}
  void test_case_exception(const doctest::TestCaseException& /*exception*/) override {}
  void subcase_start(const doctest::SubcaseSignature& /*signature*/) override {}
  void subcase_end() override {}
  void log_assert(const doctest::AssertData& /*data*/) override {}
  void log_message(const doctest::MessageData& /*data*/) override {}
  void test_case_skipped(const doctest::TestCaseData& /*test*/) override {}
};

} // namespace

DOCTEST_REGISTER_LISTENER("mutants", 1, Listener);
