import { Composer } from './composer.js';
import { element } from './markup.js';
import { callItem, messageItem } from './message.js';

const get = (id) => document.getElementById(id);
/** Below so many pixels from its end, a list is read at its end, and stays there. */
const NEAR_END = 80;
const STATES = {
  online: 'Online',
  idle: 'Idle',
  dnd: 'Do not disturb',
  invisible: 'Invisible',
  offline: 'Invisible',
};

/** What the server has told last. */
let view;
let memberId;
let channelId;
/** Items of the list by the id of their message, so that only what is new is drawn, and read out. */
let drawn = new Map();
/** The latest message that was seen, by channel. */
const seen = new Map();

const composer = new Composer({
  onMessage: (content) => post('/messages', { content }),
  onCall: (call) => post('/calls', call),
});

get('member').addEventListener('change', () => {
  const wasDirect = placeOf(channelId)?.kind === 'direct';
  memberId = get('member').value;
  if (wasDirect) channelId = view.channels.find(({ member }) => member === memberId)?.id;
  redraw();
});

/** Does something as the member. Resolves to whether it was taken; says why it wasn't. */
async function post(path, what) {
  try {
    const response = await fetch(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ member: memberId, channel: channelId, ...what }),
    });
    const problem = response.ok ? '' : (await response.json()).message;
    complain(problem);
    return response.ok;
  } catch {
    complain('The sandbox does not answer. Is the server running?');
    return false;
  }
}

function complain(text) {
  get('problem').textContent = text;
  get('problem').hidden = text === '';
}

/** The browser connects again by itself, and is told everything anew. */
const live = new EventSource('/live');
live.addEventListener('message', ({ data }) => {
  view = JSON.parse(data);
  memberId = view.members.some(({ id }) => id === memberId) ? memberId : view.members.at(-1)?.id;
  channelId = placeOf(channelId) ? channelId : view.channels[0]?.id;
  complain('');
  drawAside();
  drawMain();
});
live.addEventListener('error', () => {
  get('dot').className = 'dot';
  get('bot-state').textContent = 'The sandbox does not answer; trying again …';
});

function placeOf(id) {
  return view.channels.find((channel) => channel.id === id);
}

function redraw() {
  drawn = new Map();
  get('messages').replaceChildren();
  drawAside();
  drawMain();
}

function drawAside() {
  const { bot, members, roles, server } = view;
  get('server').textContent = server.name;
  document.title = `${server.name} · sandbox`;
  get('bot-name').textContent = bot.name;
  get('dot').className = bot.connected ? `dot ${bot.status}` : 'dot';
  const state = STATES[bot.status] ?? bot.status;
  get('bot-state').textContent = bot.connected
    ? [state, bot.activity].filter(Boolean).join(' – ')
    : 'Not connected';
  replaceIfChanged(get('member'), members, ({ id, name }) => new Option(name, id));
  get('member').value = memberId;
  const self = members.find(({ id }) => id === memberId);
  const own = roles.filter(({ id }) => self?.roles.includes(id));
  replaceIfChanged(get('member-roles'), own, ({ name }) => element('li', name));
  drawChannels();
  const ids = [
    ['Server', server.id],
    ...members.map(({ id, name }) => [`@${name}`, id]),
    ...roles.map(({ id, name }) => [`Role ${name}`, id]),
    ...view.channels.filter(({ kind }) => kind !== 'direct').map(({ id, name }) => [`#${name}`, id]),
  ];
  replaceIfChanged(get('ids'), ids, ([name, id]) => element('div', element('dt', name), element('dd', id)));
}

function drawChannels() {
  const mine = view.channels.filter(({ member }) => member === null || member === memberId);
  seen.set(channelId, latestIn(channelId));
  const shown = mine.map((channel) => ({
    ...channel,
    isCurrent: channel.id === channelId,
    isUnread: (seen.get(channel.id) ?? latestIn(channel.id)) !== latestIn(channel.id),
  }));
  for (const { id } of mine) if (!seen.has(id)) seen.set(id, latestIn(id));
  replaceIfChanged(get('channels'), shown, ({ id, isCurrent, isUnread, ...channel }) => {
    const button = element('button', titleOf(channel));
    Object.assign(button, { type: 'button', className: isUnread ? 'unread' : '' });
    button.dataset.id = id;
    if (isCurrent) button.setAttribute('aria-current', 'page');
    if (isUnread) button.setAttribute('aria-label', `${titleOf(channel)}, unread`);
    button.addEventListener('click', () => {
      channelId = id;
      readsEnd = true;
      redraw();
    });
    return element('li', button);
  });
}

function titleOf({ kind, name }) {
  return { text: `# ${name}`, voice: `♪ ${name}`, direct: `✉ ${view.bot.name}` }[kind];
}

function drawMain() {
  const place = placeOf(channelId);
  get('channel').textContent = titleOf(place);
  get('topic').textContent = {
    text: 'Everybody on the server reads along.',
    voice: 'Nobody writes here.',
    direct: 'Direct messages: just you and the bot.',
  }[place.kind];
  composer.update(view, place);
  drawMessages();
}

function latestIn(id) {
  return visibleIn(id).at(-1)?.id ?? '';
}

function visibleIn(id) {
  return view.messages.filter(
    ({ channel, onlyFor }) => channel === id && (onlyFor === null || onlyFor === memberId),
  );
}

function drawMessages() {
  const list = get('messages');
  const names = {
    users: new Map([...view.members, view.bot].map(({ id, name }) => [id, name])),
    channels: new Map(view.channels.map(({ id, name }) => [id, name])),
    roles: new Map(view.roles.map(({ id, name }) => [id, name])),
  };
  const calls = view.calls.filter(({ channel, onlyFor }) => channel === channelId && onlyFor === memberId);
  const wanted = [
    ...visibleIn(channelId).map((message) => ({
      ...{ key: message.id, text: JSON.stringify(message) },
      make: () => messageItem(message, names, (button) => post('/clicks', { message: message.id, button })),
    })),
    ...calls.map((call) => ({ key: call.id, text: JSON.stringify(call), make: () => callItem(call) })),
  ];
  if (wanted.length === 0) {
    const text = 'Nothing here yet. Write something, or type / to see what the bot can do.';
    const make = () => Object.assign(element('li', text), { className: 'empty' });
    wanted.push({ key: 'empty', text: '', make });
  }
  const kept = new Map();
  for (const { key, text, make } of wanted) {
    const known = drawn.get(key);
    kept.set(key, known?.text === text ? known : { text, item: make() });
  }
  const items = [...kept.values()].map(({ item }) => item);
  for (const { item } of drawn.values()) if (!items.includes(item)) item.remove();
  items.forEach((item, index) => {
    if (list.children[index] !== item) list.insertBefore(item, list.children[index] ?? null);
  });
  drawn = kept;
  keepAtEnd();
}

/** Whoever reads the latest message goes on to, when there is more, or less room for it. */
let readsEnd = true;
get('log').addEventListener('scroll', ({ target }) => {
  readsEnd = target.scrollHeight - target.scrollTop - target.clientHeight < NEAR_END;
});
new ResizeObserver(keepAtEnd).observe(get('log'));

function keepAtEnd() {
  if (readsEnd) get('log').scrollTop = get('log').scrollHeight;
}

/** Draws a list anew only when it is another one: what has the focus keeps it. */
function replaceIfChanged(parent, rows, make) {
  const text = JSON.stringify(rows);
  if (parent.dataset.rows === text) return;
  const focused = parent.contains(document.activeElement) ? document.activeElement.dataset.id : undefined;
  parent.dataset.rows = text;
  parent.replaceChildren(...rows.map(make));
  if (focused !== undefined) parent.querySelector(`[data-id="${focused}"]`)?.focus();
}
