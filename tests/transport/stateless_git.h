// `git upload-pack` spoken to as over http, without http: a new process for each request, nothing remembered between.
#pragma once

#include <string>

#include "base/process.h"
#include "transport/connection.h"

namespace pfetch::test {

class StatelessGit : public transport::Connection {
 public:
  // Counts the requests in `requests`, which must outlive it.
  StatelessGit(std::string repository, int protocol_version, int& requests)
      : repository_(std::move(repository)), version_(protocol_version), requests_(requests) {
    start({"--http-backend-info-refs"});
    child_.in.reset();
  }

  std::size_t read(std::span<std::byte> into) override { return base::read_some(child_.out.get(), into, "the server"); }
  std::size_t read_scattered(std::span<std::byte> first, std::span<std::byte>) override { return read(first); }
  void write(base::Bytes request) override {
    ++requests_;
    start({});
    base::write_all(child_.in.get(), request, "the server");
    child_.in.reset();
  }
  void finish() override {}
  bool stateless() const override { return true; }

 private:
  void start(const std::vector<std::string>& more) {
    child_ = base::Process();
    base::ProcessOptions options;
    options.argv = {"git", "upload-pack", "--stateless-rpc"};
    options.argv.insert(options.argv.end(), more.begin(), more.end());
    options.argv.push_back(repository_);
    options.environment = {{"GIT_PROTOCOL", "version=" + std::to_string(version_)}};
    options.in = options.out = base::ProcessOptions::Stream::pipe;
    child_ = base::Process::start(options);
  }

  const std::string repository_;
  const int version_;
  int& requests_;
  base::Process child_;
};

}  // namespace pfetch::test
