/** How many requests went to what, and what came of them. */
export class Tally {
  readonly asked = new Set<string>();
  readonly #document: string;
  readonly #classes = new Map<string, number>();
  readonly #others = new Map<string, number>();
  #requests = 0;

  constructor(document: string) {
    this.#document = document;
  }

  /** An answer of a subject; undefined: there was none. */
  count(subject: string, status: number | undefined): void {
    this.#requests++;
    this.asked.add(subject);
    add(this.#classes, status === undefined ? 'no answer' : `${Math.floor(status / 100)}xx`);
  }

  /** Something else, by how the line names it. */
  countOther(what: string): void {
    add(this.#others, what);
  }

  /** `openapi.json: 3456 requests to 72 subjects; 2xx 1234, 4xx 2222, 5xx 0, no answer 0; …` */
  toString(): string {
    const classes = ['2xx', '3xx', '4xx', '5xx', 'no answer'];
    const answers = classes.map((name) => `${name} ${this.#classes.get(name) ?? 0}`).join(', ');
    const others = [...this.#others].map(([what, times]) => `; ${what} ${times}`).sort();
    return `${this.#document}: ${this.#requests} requests to ${this.asked.size} subjects; ${answers}${others.join('')}`;
  }
}

function add(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}
