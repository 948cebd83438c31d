/** What the platform's markup looks like here. Everything becomes nodes: no text of anybody is ever read as HTML. */

const RULES = [
  { match: /```(?:[a-z]+\n)?\n?([^]*?)\n?```/, make: (_, [, text]) => element('pre', text) },
  { match: /`([^`\n]+)`/, make: (_, [, text]) => element('code', text) },
  { match: /\*\*([^]+?)\*\*/, make: (names, [, text]) => element('strong', ...markup(text, names)) },
  { match: /\*([^*\n]+)\*/, make: (names, [, text]) => element('em', ...markup(text, names)) },
  { match: /__([^]+?)__/, make: (names, [, text]) => element('u', ...markup(text, names)) },
  { match: /~~([^]+?)~~/, make: (names, [, text]) => element('s', ...markup(text, names)) },
  { match: /<(@!?|#|@&)(\d+)>/, make: (names, [, sign, id]) => mention(sign, id, names) },
  { match: /<t:(\d+)(?::([tTdDfFR]))?>/, make: (_, [, seconds, style]) => moment(Number(seconds), style) },
  { match: /https?:\/\/[^\s<>]+[^\s<>.,:;"')\]]/, make: (_, [url]) => link(url) },
];

/** The nodes of a text. `names`: what ids stand for, `{users, channels, roles}`, each a Map. */
export function markup(text, names) {
  const nodes = [];
  let rest = String(text);
  while (rest !== '') {
    const found = first(rest);
    if (!found) break;
    const { rule, match } = found;
    if (match.index > 0) nodes.push(rest.slice(0, match.index));
    nodes.push(rule.make(names, match));
    rest = rest.slice(match.index + match[0].length);
  }
  return rest === '' ? nodes : [...nodes, rest];
}

/** The rule that comes first in the text; of two at the same place, the one that stands first above. */
function first(text) {
  let best;
  for (const rule of RULES) {
    const match = rule.match.exec(text);
    if (match && (!best || match.index < best.match.index)) best = { rule, match };
  }
  return best;
}

/** An element with children: nodes and texts. */
export function element(name, ...children) {
  const made = document.createElement(name);
  made.append(...children);
  return made;
}

/** A link that tells its target nothing about this page; plain text for what is no web address. */
export function link(url, text = url) {
  if (!/^https?:\/\//.test(url)) return element('span', text);
  const made = element('a', text);
  Object.assign(made, { href: url, target: '_blank', rel: 'noopener noreferrer' });
  return made;
}

function mention(sign, id, names) {
  const kind = { '#': 'channels', '@&': 'roles' }[sign] ?? 'users';
  const made = element('span', (kind === 'channels' ? '#' : '@') + (names[kind].get(id) ?? id));
  made.className = 'mention';
  return made;
}

const FORMS = {
  t: { timeStyle: 'short' },
  T: { timeStyle: 'medium' },
  d: { dateStyle: 'short' },
  D: { dateStyle: 'long' },
  f: { dateStyle: 'long', timeStyle: 'short' },
  F: { dateStyle: 'full', timeStyle: 'short' },
};

function moment(seconds, style = 'f') {
  const date = new Date(seconds * 1000);
  const made = element('time', new Intl.DateTimeFormat(undefined, FORMS[style] ?? FORMS.f).format(date));
  made.dateTime = date.toISOString();
  return made;
}
