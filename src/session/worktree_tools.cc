#include "session/worktree_tools.h"

#include <fcntl.h>

#include "base/error.h"
#include "checkout/directory_cursor.h"
#include "object/must_read.h"
#include "repo/discovery.h"
#include "repo/refs.h"
#include "session/checkout_setup.h"

namespace pfetch::session {

namespace {

// The commit that the repository in `directory` has checked out; nullopt without a repository or a commit.
std::optional<object::Oid> head_of_submodule(const std::string& directory, const repo::Environment& environment) {
  std::string git_dir = directory + "/.git";
  try {
    if (!base::path_exists(git_dir)) return std::nullopt;
    if (!base::is_directory(git_dir)) git_dir = repo::read_gitfile(git_dir, environment);
    repo::RefsOptions options;
    options.git_dir = git_dir;
    const object::Oid id = repo::Refs::open(options)->head().id;
    return id.is_null() ? std::nullopt : std::optional(id);
  } catch (const Error&) {
    return std::nullopt;  // git takes what it cannot open for no repository, too
  }
}

void refuse_sparse(const repo::Config& config) {
  if (!config.get_bool("core.sparsecheckout", false)) return;
  throw Error(ErrorCode::unsupported,
              "sparse checkouts (core.sparseCheckout) are not supported yet; use 'git checkout', or leave the sparse "
              "checkout with 'git sparse-checkout disable'");
}

checkout::EngineOptions options_of(const SwitchContext& context) {
  if (!context.repository.work_tree()) {
    throw Error(ErrorCode::refused, "this operation must be run in a work tree");
  }
  refuse_sparse(context.repository.config());
  return checkout_options(context.repository, *context.repository.work_tree(), 0, context.reporter);
}

checkout::CleanerOptions cleaner_options(const SwitchContext& context, const checkout::EngineOptions& options) {
  checkout::CleanerOptions cleaner;
  cleaner.convert = options.delivery.convert;
  cleaner.rules.to_store = false;
  cleaner.drivers = options.delivery.drivers;
  cleaner.place = filter_place(context.repository, options.delivery.work_tree);
  return cleaner;
}

}  // namespace

WorktreeTools::WorktreeTools(const SwitchContext& context)
    : context_(context),
      options_(options_of(context)),
      top_(base::open_file(options_.delivery.work_tree, O_RDONLY | O_DIRECTORY)),
      stat_rules_(checkout::stat_rules(context.repository.config())),
      present_attributes_(std::make_unique<checkout::AttributeLookup>(
          options_.attributes, [this](const std::string& path) { return read_attribute_file(path); })),
      cleaner_(std::make_unique<checkout::Cleaner>(cleaner_options(context, options_), context.cancel)) {
  using AutoCrlf = checkout::ConvertConfig::AutoCrlf;
  contents_ = std::make_unique<checkout::ContentCheck>(checkout::ContentCheck::Parts{
      *cleaner_, *present_attributes_, context.objects,
      [this](const std::string& path) {
        return head_of_submodule(work_tree() + "/" + path, context_.repository.environment());
      },
      options_.delivery.convert.auto_crlf != AutoCrlf::off});
}

checkout::FilterPlace WorktreeTools::filter_place() const {
  return session::filter_place(context_.repository, work_tree());
}

std::optional<std::string> WorktreeTools::read_attribute_file(const std::string& path) const {
  checkout::DirectoryCursor cursor(top());
  const auto place = cursor.place_of(path);
  if (place.directory < 0) return std::nullopt;
  return checkout::read_regular_file(place.directory, place.leaf, checkout::attribute_file_bytes_max);
}

std::optional<std::string> WorktreeTools::read_attribute_blob(const BlobAt& blob_at, const std::string& path) const {
  const auto id = blob_at(path);
  if (!id) return std::nullopt;
  return std::string(object::must_read(context_.objects, *id, object::Kind::blob).bytes.text());
}

std::unique_ptr<checkout::AttributeLookup> WorktreeTools::arriving_attributes(BlobAt blob_at) {
  auto read = [this, blob_at = std::move(blob_at)](const std::string& path) {
    auto text = read_attribute_blob(blob_at, path);
    return text ? std::move(text) : read_attribute_file(path);
  };
  return std::make_unique<checkout::AttributeLookup>(options_.attributes, std::move(read));
}

std::unique_ptr<checkout::AttributeLookup> WorktreeTools::attributes_of_worktree(std::vector<std::string> also,
                                                                                 BlobAt blob_at) {
  auto read = [this, blob_at = std::move(blob_at)](const std::string& path) {
    auto text = read_attribute_file(path);
    return text ? std::move(text) : read_attribute_blob(blob_at, path);
  };
  checkout::AttributeStack::Sources sources = options_.attributes;
  sources.also = std::move(also);
  return std::make_unique<checkout::AttributeLookup>(std::move(sources), std::move(read));
}

}  // namespace pfetch::session
