#include "redact/leak_search.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <string>

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
  search.keep("Layers");
  CHECK(search.count("layers") == 1);
  search.keep("all layers are Trainer's");
  CHECK(search.count("train Trainer layers") == 1);
}

TEST_CASE("nothing is found in a pseudonym, nor where it touches what is next to it") {
  LeakSearch search;
  search.hide("func_1");
  search.hide("f2/func_3");
  search.hide("cdefg.py");
  const std::string text = "func_1 and f2/func_3abcdefg.py";
  CHECK(search.count(text) == 3);
  search.add_pseudonym("func_3abcdefg");
  CHECK(search.count(text) == 1);
}

TEST_CASE("in an output only paths are looked for") {
  LeakSearch search;
  search.hide("train_acme_step");
  search.hide("acme/model.py");
  search.hide("/home/alice/model.py");
  search.hide("see C:/srv/acme/net.py, or acme/net/layers/one.py:12");
  search.hide("http://www.w3.org/2000/svg");
  search.hide("1/2/3/4");
  search.hide("/regex/g");
  CHECK(search.count_paths("train_acme_step in acme/model.py") == 0);
  CHECK(search.count_paths("(/home/alice/model.py:12)</title>") == 1);
  CHECK(search.count_paths("\"/home/alice/model.pyc\";/srv/acme/net.py") == 2);
  CHECK(search.count_paths("/srv/home/alice/model.py") == 0); // of somebody else
  CHECK(search.count_paths("at acme/net/layers/one.py:3") == 1);
  CHECK(search.count_paths("xmlns=\"http://www.w3.org/2000/svg\" 1/2/3/4 /regex/g") == 0);
  search.keep("/mnt/home/alice/model.py");
  CHECK(search.count_paths("/home/alice/model.py") == 0);
  CHECK(search.count_paths("/srv/acme/net.py") == 1);
}

TEST_CASE("a path of two parts is one where it ends as a file of code does") {
  LeakSearch search;
  search.hide("/acme/model.py");
  search.hide("/acme/model");
  search.hide("/acme/nets/all/");
  CHECK(search.count_paths("/acme/model.py") == 1);
  CHECK(search.count_paths("/acme/model") == 0);
  CHECK(search.count_paths("/acme/nets/all") == 1); // of three parts, with or without the '/' at its end
}

TEST_CASE("of a long text the beginning is found") {
  const std::string path = fmt::format("/home/alice/{:->200}", "");
  LeakSearch search;
  search.hide(path);
  CHECK(search.count(path) == 1);
  CHECK(search.count_paths(path) == 1);
  CHECK(search.count(path.substr(0, 60)) == 0);
}
