/** Lets so much work run at a time; the rest waits in line. */
export class Turns {
  readonly #waiting: (() => void)[] = [];
  #free: number;

  constructor(atOnce: number) {
    this.#free = atOnce;
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free--;
    else {
      await new Promise<void>((resolve) => {
        this.#waiting.push(resolve);
      });
    }
    try {
      return await work();
    } finally {
      // Whoever is next takes the place over; nobody who comes later gets in between.
      const next = this.#waiting.shift();
      if (next) next();
      else this.#free++;
    }
  }
}
