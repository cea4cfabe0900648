/** @returns {any} element of the page with this id, whose kind the caller knows */
export const at = (id) => document.getElementById(id);

/** Creates an element. @param {keyof HTMLElementTagNameMap} tag @param {...(Node | string)} children */
export function element(tag, properties = {}, ...children) {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
}

export const counted = (count) => Number(count).toLocaleString("en");
