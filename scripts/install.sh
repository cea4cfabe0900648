#!/bin/sh
# Installs the dependencies, or says plainly what is missing.
if ! command -v node >/dev/null 2>&1 || ! command -v npm >/dev/null 2>&1; then
  echo "error: Node.js 18 or newer with npm is needed and was not found." >&2
  echo "  hint: install Node.js (your system's package, or the installer of nodejs.org), then run make again" >&2
  exit 1
fi
major=$(node -p 'process.versions.node.split(".")[0]')
if [ "$major" -lt 18 ]; then
  echo "error: Node.js $major is too old to start; 18 or newer is needed." >&2
  exit 1
fi
# A caller may evaluate what a target prints, such as make env: stdout is the target's alone.
echo "installing the dependencies (once, about a minute) ..." >&2
npm ci --no-audit --no-fund --loglevel=error >&2 || {
  echo "error: npm could not install the dependencies; its message is above." >&2
  echo "  hint: check the network and npm's registry setting, then run make again" >&2
  exit 1
}
touch node_modules/.package-lock.json
