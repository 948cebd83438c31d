import { element, link, markup } from './markup.js';

const SUPPRESSED_IMAGE = 'Images are not loaded here:';

/** A message as a list item. `onPress` is called with the id of a button. */
export function messageItem(message, names, onPress) {
  const { author, caller, answers, onlyFor } = message;
  const item = classed('li', 'message');
  if (author.isBot) item.classList.add('bot-made');
  if (onlyFor !== null) item.classList.add('ephemeral');
  if (caller?.did.startsWith('/')) item.append(classed('p', 'context', `${caller.name} used ${caller.did}`));
  if (answers) item.append(classed('p', 'context', `Answer to ${answers.name}: ${answers.content}`));
  const avatar = classed('span', 'avatar', author.name.slice(0, 1).toUpperCase());
  avatar.setAttribute('aria-hidden', 'true');
  const body = classed('div', 'body', head(message));
  if (message.content) body.append(classed('div', 'content', ...markup(message.content, names)));
  body.append(...message.embeds.map((embed) => embedCard(embed, names)));
  body.append(...message.components.map((row) => buttonRow(row, onPress)));
  item.append(avatar, body);
  return item;
}

/** What stands for an answer that isn't there yet, or never came. */
export function callItem({ name, state, bot }) {
  const text = {
    waiting: `${bot} was asked: ${name} …`,
    thinking: `${bot} is thinking …`,
    failed: `${bot} did not answer in time: ${name}`,
  }[state];
  return classed('li', 'message', classed('p', 'context', text));
}

function head({ author, at, isEdited, onlyFor }) {
  const when = element(
    'time',
    new Intl.DateTimeFormat(undefined, { timeStyle: 'short' }).format(new Date(at)),
  );
  when.dateTime = at;
  const line = classed('p', 'who', element('strong', author.name));
  if (author.isBot) line.append(classed('span', 'badge', 'BOT'));
  line.append(when);
  if (isEdited) line.append(classed('span', 'edited', 'edited'));
  if (onlyFor !== null) line.append(classed('span', 'private', 'Only you can see this'));
  return line;
}

function embedCard(
  { title, url, description, color, author, fields = [], image, thumbnail, footer, timestamp },
  names,
) {
  const card = classed('div', 'embed');
  if (color !== undefined) card.style.setProperty('--embed', `#${color.toString(16).padStart(6, '0')}`);
  if (author?.name)
    card.append(classed('p', 'small', author.url ? link(author.url, author.name) : author.name));
  if (title) card.append(element('h3', ...(url ? [link(url, title)] : markup(title, names))));
  if (description) card.append(classed('div', 'content', ...markup(description, names)));
  if (fields.length > 0) card.append(element('dl', ...fields.map((field) => fieldItem(field, names))));
  for (const picture of [image, thumbnail]) {
    if (picture?.url) card.append(classed('p', 'small', `${SUPPRESSED_IMAGE} `, link(picture.url)));
  }
  const last = [footer?.text, timestamp && new Date(timestamp).toLocaleString()].filter(Boolean);
  if (last.length > 0) card.append(classed('p', 'small', last.join(' · ')));
  return card;
}

function fieldItem({ name, value, inline = false }, names) {
  const item = element('div', element('dt', ...markup(name, names)), element('dd', ...markup(value, names)));
  if (!inline) item.className = 'wide';
  return item;
}

function buttonRow({ components }, onPress) {
  const buttons = components.map(({ style, label = '', url, custom_id: id, disabled = false, emoji }) => {
    const text = [emoji?.name, label].filter(Boolean).join(' ');
    if (style === 5) return link(url, `${text} ↗`);
    const button = classed('button', `style-${style}`, text);
    Object.assign(button, { type: 'button', disabled });
    button.addEventListener('click', () => onPress(id));
    return button;
  });
  return classed('div', 'buttons', ...buttons);
}

function classed(name, className, ...children) {
  const made = element(name, ...children);
  made.className = className;
  return made;
}
