#include "memviz/redact.hpp"
#include "redact/leak_search.hpp"

#include <doctest/doctest.h>

using namespace memviz;

TEST_CASE("what was hidden is found again, unless it is public") {
  LeakSearch search;
  search.hide("train_acme_step");
  search.hide("/home/alice/model.py");
  search.hide("SecretModel");
  search.hide("Secret");
  search.hide("grad_fn");
  search.hide("grad_fn_hook_x");
  CHECK(search.count("a train_acme_step b") == 1);
  CHECK(search.count("xtrain_acme_step2/home/alice/model.pyc") == 2);
  CHECK(search.count("train_acme_ste Secretly memory") == 0);
  CHECK(search.count("grad_fn grad_fn_hook_x") == 2);
  search.keep("the grad_fn of torch");
  CHECK(search.count("grad_fn") == 0);
  CHECK(search.count("grad_fn_hook_x") == 1);
  CHECK(search.count("") == 0);
  CHECK(search.count("Secre") == 0);
}

TEST_CASE("plain words that were hidden are found as whole words") {
  LeakSearch search;
  search.hide("train");
  search.hide("Trainer of Alice");
  search.hide("layers");
  search.hide("run");
  CHECK(search.count("train, retrain and trains: train.py") == 2);
  CHECK(search.count("alice") == 0);
  CHECK(search.count("<Alice>Trainer</Alice>") == 3);
  CHECK(search.count("run") == 0);
  CHECK(search.count("layers") == 1);
  search.keep("Layer");
  CHECK(search.count("layers") == 0);
  search.keep("all trains are Trainer's");
  CHECK(search.count("train Trainer trains") == 1);
}

TEST_CASE("a redactor finds what it hid, but not what every output says") {
  Redactor redactor({Redact::all, ""});
  static_cast<void>(redactor.frame("train_acme_step", "/home/alice/model.py"));
  static_cast<void>(redactor.frame("total_bytes", "/home/alice/model.py"));
  static_cast<void>(redactor.frame("acme::fast_kernel", ""));
  static_cast<void>(redactor.frame("at::native::slow_kernel<slow_kernel>", ""));
  CHECK(redactor.leaks("train_acme_step at model.py:12") == 2);
  CHECK(redactor.leaks("fast_kernel") == 1);
  CHECK(redactor.leaks("slow_kernel") == 0);
  CHECK(redactor.leaks("\"total_bytes\": 12") == 0);
}
