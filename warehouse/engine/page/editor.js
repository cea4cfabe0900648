import {
  acceptCompletion,
  autocompletion,
  closeBrackets,
  closeBracketsKeymap,
  closeCompletion,
  completionKeymap,
} from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { SQLDialect, sql } from "@codemirror/lang-sql";
import { bracketMatching, HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import { Compartment, StateEffect, StateField } from "@codemirror/state";
import { Decoration, EditorView, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";

const COLOURS = HighlightStyle.define([
  { tag: tags.keyword, color: "var(--keyword)" },
  { tag: tags.string, color: "var(--string)" },
  { tag: [tags.number, tags.bool, tags.null], color: "var(--number)" },
  { tag: [tags.standard(tags.name), tags.typeName], color: "var(--function)" },
  { tag: tags.comment, color: "var(--dim)" },
]);

const PANEL = { color: "var(--text)", backgroundColor: "var(--panel)" };
const THEME = EditorView.theme({
  "&": { ...PANEL, height: "100%" },
  "&.cm-focused": { outline: "none" },
  ".cm-content": { caretColor: "var(--text)" },
  ".cm-scroller": { font: "13px/1.5 ui-monospace, monospace" },
  ".cm-gutters": { color: "var(--dim)", backgroundColor: "var(--stripe)", border: "0" },
  ".cm-tooltip": { ...PANEL, borderColor: "var(--line)" },
  ".cm-error": {
    backgroundColor: "var(--error-back)",
    textDecoration: "underline wavy var(--error)",
  },
});

/** @type {import("@codemirror/state").StateEffectType<import("@codemirror/view").DecorationSet>} */
const setMarks = StateEffect.define();
const ERROR = Decoration.mark({ class: "cm-error" });
/** The mark of the last error, until the text changes. */
const marks = StateField.define({
  create: () => Decoration.none,
  update: (old, { docChanged, effects }) =>
    effects.find((effect) => effect.is(setMarks))?.value ?? (docChanged ? Decoration.none : old),
  provide: (field) => EditorView.decorations.from(field),
});

/** Creates the editor of the statement. */
export function createEditor(parent) {
  // In a shadow root CodeMirror needs no inline styles, which the page's policy refuses.
  const root = parent.attachShadow({ mode: "open" });
  const language = new Compartment();
  const view = new EditorView({
    root,
    parent: root,
    extensions: [
      lineNumbers(),
      history(),
      bracketMatching(),
      closeBrackets(),
      autocompletion(),
      marks,
      language.of(sql()),
      syntaxHighlighting(COLOURS),
      THEME,
      EditorView.lineWrapping,
      EditorView.contentAttributes.of({
        "aria-label": "SQL statement",
        "aria-description": "Tab indents. Escape, then Tab leaves the editor.",
      }),
      keymap.of([
        { key: "Tab", run: acceptCompletion },
        indentWithTab,
        ...closeBracketsKeymap,
        ...completionKeymap,
        ...historyKeymap,
        ...defaultKeymap,
      ]),
    ],
  });
  return {
    setText: (text) =>
      view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } }),
    insert(text) {
      view.dispatch(view.state.replaceSelection(text));
      view.focus();
    },
    /** Returns the selected text, or all if nothing is selected, and its place. */
    statement() {
      const document = view.state.doc.toString();
      const { from, to } = view.state.selection.main;
      const selected = document.slice(from, to);
      return selected.trim() === ""
        ? { sql: document, place: { document, from: 0, to: document.length } }
        : { sql: selected, place: { document, from, to } };
    },
    /** Closes the list of completions and removes the mark of an error. */
    clear() {
      closeCompletion(view);
      view.dispatch({ effects: setMarks.of(Decoration.none) });
    },
    markError: (from, to) =>
      view.dispatch({ effects: setMarks.of(Decoration.set(ERROR.range(from, to))) }),
    complete: (words, columns) =>
      view.dispatch({ effects: language.reconfigure(languageOf(words, columns)) }),
  };
}

/** Colours and completes the words of ClickHouse, and the names of tables and columns. */
function languageOf({ keywords, functions, types }, columns) {
  const spelling = new Map([...functions, ...types].map((name) => [name.toLowerCase(), name]));
  const dialect = SQLDialect.define({
    keywords: keywords.join(" ").toLowerCase(),
    builtin: functions.join(" ").toLowerCase(),
    types: types.join(" ").toLowerCase(),
    backslashEscapes: true,
    hashComments: true,
    identifierQuotes: '`"',
  });
  const tables = Map.groupBy(columns, ({ database, table }) => `${database}.${table}`);
  const schema = Object.fromEntries(
    [...tables].map(([table, members]) => [table, members.map(({ name }) => name)]),
  );
  const keywordCompletion = (word, type) => ({
    label: spelling.get(word) ?? word.toUpperCase(),
    type,
  });
  return [
    sql({ dialect, schema, keywordCompletion }),
    dialect.language.data.of({ autocomplete: columnsIn(columns) }),
  ];
}

/** Completes columns of the tables that the statement names. */
const columnsIn = (columns) => (context) => {
  const word = context.matchBefore(/[\w.]+/);
  if (!word || word.text.includes(".")) return null;
  const words = new Set(context.state.doc.toString().match(/\w+/g));
  const named = columns.filter(({ table }) => words.has(table));
  const options = [...new Map(named.map((column) => [column.name, column])).values()].map(
    ({ name, table }) => ({ label: name, detail: table, type: "property", boost: 10 }),
  );
  return { from: word.from, options, validFor: /^\w*$/ };
};
