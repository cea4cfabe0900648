#!/bin/sh
# Installs the dependencies, or reports a missing or old Node.js.
if ! command -v node >/dev/null 2>&1 || ! command -v npm >/dev/null 2>&1; then
  echo "error: Node.js with npm is not installed. Required: 18 or newer." >&2
  echo "  hint: install Node.js (package of your system, or nodejs.org), then retry" >&2
  exit 1
fi
major=$(node -p 'process.versions.node.split(".")[0]')
if [ "$major" -lt 18 ]; then
  echo "error: Node.js $major is too old. Required: 18 or newer." >&2
  echo "  hint: install a newer Node.js (nodejs.org), then retry" >&2
  exit 1
fi
# Prints to stderr, because stdout is the result of a command, such as the CSV of make query.
echo "installing the dependencies (once, about a minute) ..." >&2
npm ci --no-audit --no-fund --loglevel=error >&2 || {
  echo "error: npm cannot install the dependencies; see its message above." >&2
  echo "  hint: check the network and npm config get registry, then retry" >&2
  exit 1
}
touch node_modules/.package-lock.json
