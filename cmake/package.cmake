# What `cmake --install` puts where, and the Debian package that `cpack` makes of it.
include(GNUInstallDirs)

install(TARGETS pfetch RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
# Git finds its commands by name on PATH: with this link `git pfetch …` works.
install(CODE "
  set(bin \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_BINDIR}\")
  file(CREATE_LINK pfetch \"\${bin}/git-pfetch\" SYMBOLIC)
  set(man \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_MANDIR}/man1\")
  file(MAKE_DIRECTORY \"\${man}\")
  file(CREATE_LINK pfetch.1 \"\${man}/git-pfetch.1\" SYMBOLIC)
")
install(DIRECTORY man/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 FILES_MATCHING PATTERN "*.1")
install(FILES completions/pfetch.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME pfetch)
install(FILES completions/_pfetch DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions)
install(FILES completions/pfetch.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME copyright)
install(FILES README.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_CONTACT "The pfetch developers <pfetch@example.com>")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION vcs)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# Git is the other side of a local clone, and keeps credentials. OpenSSL and libcurl are opened at run time, where
# dpkg-shlibdeps does not see them.
set(CPACK_DEBIAN_PACKAGE_DEPENDS "git, libssl3 (>= 3.0) | libssl3t64, libcurl4 (>= 7.85) | libcurl4t64")
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS openssh-client)
# libgit2 is opened only for pfetch.sha1 = libgit2; Debian's package has the version of the library's name.
string(REGEX REPLACE "^libgit2\\.so\\." "libgit2-" libgit2_package "${PFETCH_LIBGIT2_SONAME}")
if(libgit2_package MATCHES "^libgit2-[0-9.]+$")
  set(CPACK_DEBIAN_PACKAGE_SUGGESTS ${libgit2_package})
endif()
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "Bring Git repositories in, checked out when the last byte arrives")
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION
"${CPACK_PACKAGE_DESCRIPTION_SUMMARY}
 pfetch clones Git repositories, shallow or whole: it receives, verifies,
 indexes and checks out in one pass over the data, on all cores. Its options
 are those of git, and 'git pfetch' runs it as a Git command.")
include(CPack)
