// Stands in the program for what its SDK loads only to serialise functions; require-node.cjs says why.
module.exports = new Proxy(
  {},
  {
    get(_, name) {
      if (name === "__esModule") return true;
      // Of the debugger's session: the SDK waits for it before it runs the program.
      if (name === "isInitializedAsync") return async () => {};
      throw new Error(
        "Functions as resources (dynamic providers, serialised callbacks) are shut out of this program by scripts/require-node.cjs.",
      );
    },
  },
);
