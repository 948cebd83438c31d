import { element } from './markup.js';

const ID = { text: 3, integer: 4, boolean: 5, user: 6, channel: 7, role: 8, number: 10 };
const SUBCOMMAND = 1;
const GROUP = 2;
const get = (id) => document.getElementById(id);

/**
 * The message field, its list of slash commands, and the form of the one that was chosen. Keys: / opens the list, the
 * arrows move in it, Enter and Tab choose, Escape goes back.
 */
export class Composer {
  #options;
  #view;
  #place;
  #shown = [];
  #active = -1;
  #chosen;

  /** `onMessage(text)` and `onCall({command, path, values})` resolve to whether it was sent. */
  constructor(options) {
    this.#options = options;
    get('text').addEventListener('input', () => this.#suggest());
    get('text').addEventListener('keydown', (event) => this.#onKey(event));
    get('text').addEventListener('blur', () => this.#close());
    get('composer').addEventListener('submit', (event) => void this.#onSend(event));
    get('call').addEventListener('submit', (event) => void this.#onRun(event));
    get('cancel').addEventListener('click', () => this.#cancel());
    get('call').addEventListener('keydown', (event) => {
      if (event.key === 'Escape') this.#cancel();
    });
  }

  /** There is something else to choose from, or one writes somewhere else. */
  update(view, place) {
    const isElsewhere = this.#place?.id !== place.id;
    this.#view = view;
    this.#place = place;
    const canWrite = place.kind !== 'voice';
    get('text').disabled = !canWrite;
    get('composer').querySelector('button').disabled = !canWrite;
    get('text').placeholder = canWrite
      ? `Message ${place.kind === 'direct' ? view.bot.name : `#${place.name}`}, or / for commands`
      : 'Nobody writes in a voice channel';
    if (isElsewhere && this.#chosen) this.#cancel();
  }

  /** Every call that can be made here: a command, or each of its subcommands. */
  get #calls() {
    return this.#view.commands
      .filter(({ isGlobal }) => isGlobal || this.#place.kind !== 'direct')
      .flatMap((command) => callsOf(command, command.name, []))
      .toSorted((one, other) => (one.title < other.title ? -1 : 1));
  }

  #suggest() {
    const typed = get('text').value;
    const word = typed.slice(1).toLowerCase();
    this.#shown = typed.startsWith('/') ? this.#calls.filter(({ title }) => title.startsWith(word)) : [];
    this.#active = this.#shown.length > 0 ? 0 : -1;
    const items = this.#shown.map((call, index) => {
      const item = element('li', element('strong', `/${call.title}`), element('span', call.description));
      Object.assign(item, { id: `suggestion-${index}`, role: 'option' });
      // Before the field loses its focus, and the list goes.
      item.addEventListener('pointerdown', (event) => {
        event.preventDefault();
        this.#choose(call);
      });
      return item;
    });
    get('suggestions').replaceChildren(...items);
    this.#mark();
  }

  #mark() {
    const field = get('text');
    get('suggestions').hidden = this.#shown.length === 0;
    field.setAttribute('aria-expanded', String(this.#shown.length > 0));
    [...get('suggestions').children].forEach((item, index) => {
      item.setAttribute('aria-selected', String(index === this.#active));
      if (index === this.#active) item.scrollIntoView({ block: 'nearest' });
    });
    if (this.#active >= 0) field.setAttribute('aria-activedescendant', `suggestion-${this.#active}`);
    else field.removeAttribute('aria-activedescendant');
  }

  #close() {
    this.#shown = [];
    this.#active = -1;
    get('suggestions').replaceChildren();
    this.#mark();
  }

  #onKey(event) {
    const count = this.#shown.length;
    if (count === 0) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) this.#active = (this.#active + step + count) % count;
    else if (event.key === 'Enter' || event.key === 'Tab') this.#choose(this.#shown[this.#active]);
    else if (event.key === 'Escape') this.#close();
    else return;
    event.preventDefault();
    this.#mark();
  }

  /** `given`, what was typed behind the command, is for its first option. */
  #choose(call, given = '') {
    this.#close();
    get('text').value = '';
    if (call.options.length === 0) {
      void this.#options.onCall({ command: call.command, path: call.path, values: {} });
      return;
    }
    this.#chosen = call;
    get('call-name').textContent = `/${call.title}`;
    get('call-description').textContent = call.description;
    get('fields').replaceChildren(...call.options.map((option, index) => this.#field(option, index)));
    this.#show({ form: true });
    const first = get('fields').querySelector('input, select');
    if (first.matches('input')) first.value = given;
    first.focus();
  }

  #cancel() {
    this.#chosen = undefined;
    this.#show({ form: false });
    get('text').focus();
  }

  #show({ form }) {
    get('call').hidden = !form;
    get('composer').hidden = form;
  }

  #field(option, index) {
    const choices = this.#choicesOf(option);
    const input = element(choices ? 'select' : 'input');
    const [id, help] = [`option-${index}`, `option-${index}-help`];
    Object.assign(input, { id, name: option.name, required: option.required === true });
    input.setAttribute('aria-describedby', help);
    if (choices) {
      const none = option.required ? [] : [new Option('–', '')];
      input.append(...none, ...choices.map(([value, text]) => new Option(text, value)));
    } else {
      const isNumber = option.type === ID.integer || option.type === ID.number;
      input.type = isNumber ? 'number' : 'text';
      if (isNumber) Object.assign(input, { min: option.min_value ?? '', max: option.max_value ?? '' });
      if (option.type === ID.number) input.step = 'any';
    }
    const label = element('label', option.required ? option.name : `${option.name} (optional)`);
    label.htmlFor = id;
    const text = element('small', option.description);
    text.id = help;
    const field = element('div', label, input, text);
    field.className = 'field';
    return field;
  }

  /** Pairs of a value and what it is called; undefined: anything can be given. */
  #choicesOf({ type, choices = [] }) {
    const { members, channels, roles } = this.#view;
    if (choices.length > 0) return choices.map(({ name, value }) => [String(value), name]);
    if (type === ID.boolean) {
      return [
        ['true', 'Yes'],
        ['false', 'No'],
      ];
    }
    if (type === ID.user) return members.map(({ id, name }) => [id, name]);
    if (type === ID.role) return roles.map(({ id, name }) => [id, name]);
    if (type === ID.channel) {
      return channels.filter(({ kind }) => kind !== 'direct').map(({ id, name }) => [id, `#${name}`]);
    }
    return undefined;
  }

  async #onSend(event) {
    event.preventDefault();
    const content = get('text').value.trim();
    if (content === '') return;
    // One that was typed to its end or pasted, perhaps with a value: a code must not end up in front of everybody.
    const call = this.#calls.findLast(({ title }) => `${content} `.startsWith(`/${title} `));
    if (call) this.#choose(call, content.slice(call.title.length + 1).trim());
    else if (await this.#options.onMessage(content)) get('text').value = '';
  }

  async #onRun(event) {
    event.preventDefault();
    const { command, path } = this.#chosen;
    const values = Object.fromEntries(new FormData(get('call')));
    if (await this.#options.onCall({ command, path, values })) this.#cancel();
  }
}

function callsOf({ description, options = [] }, command, path) {
  const inner = options.filter(({ type }) => type === SUBCOMMAND || type === GROUP);
  if (inner.length > 0) return inner.flatMap((each) => callsOf(each, command, [...path, each.name]));
  return [{ title: [command, ...path].join(' '), description, options, command, path }];
}
