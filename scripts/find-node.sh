# Sourced by bin/setup and bin/pismak, which set $root. Puts a Node >= 24 into $node: the one on PATH if it is
# new enough, else the one that came with the dependencies. Fails when there is none.
find_node() {
  for node in "$(command -v node)" "$root/node_modules/node-linux-$(node_architecture)/bin/node"; do
    version=$("$node" --version 2>/dev/null) || continue
    version=${version#v}
    [ "${version%%.*}" -ge 24 ] 2>/dev/null && return 0
  done
  return 1
}

# As Node calls it.
node_architecture() {
  case $(uname -m) in aarch64 | arm64) echo arm64 ;; *) echo x64 ;; esac
}
