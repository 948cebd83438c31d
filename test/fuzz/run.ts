import fc from 'fast-check';
import { ask } from './ask.js';
import type { FuzzAnswer, SentRequest, Target } from './ask.js';
import { Tally } from './tally.js';

/*
 * By hand with more, and others: FUZZ_RUNS=300 FUZZ_SEED=7 npm test -- test/fuzz
 * FUZZ_ONLY='POST /licenses' for one endpoint, FUZZ_ONLY='Mutation.createLicense' for one field.
 */
const RUNS = Number(process.env['FUZZ_RUNS'] ?? 4);
const SEED = Number(process.env['FUZZ_SEED'] ?? 1);
const ONLY = process.env['FUZZ_ONLY'];
/** Requests that are under way at once. */
export const LANES = 6;
/** So many of each subject are made at a time: what was asked needs no memory. */
const ROUND = 5;

/** For a test that sends this many requests to each of its subjects. */
export const LIMIT_MS = 60_000 + RUNS * 5_000;

/** Something to send requests to, and whatever may be sent to it. */
export interface Subject<Request extends SentRequest> {
  /** `POST /licenses` or `Mutation.createLicense`. */
  readonly key: string;
  readonly requests: fc.Arbitrary<Request>;
}

export interface Fuzzed<Request extends SentRequest> {
  /** Of the document that the subjects are in; the tally is told by it. */
  readonly document: string;
  readonly target: Target;
  readonly subjects: readonly Subject<Request>[];
  /** What is wrong with an answer; undefined: nothing. */
  readonly judge: (asked: Request, answer: FuzzAnswer) => string | undefined;
  /** Before each round: puts back what the others have taken away. */
  readonly prepare: () => Promise<void>;
  /** What else is to be counted. */
  readonly note?: (asked: Request, answer: FuzzAnswer, tally: Tally) => void;
}

interface Finding {
  readonly finding: string;
  readonly asked: string;
  readonly answer: string;
  readonly times: number;
}

export interface Outcome {
  /** One example of each, and how often it was so. */
  readonly findings: readonly Finding[];
  readonly tally: Tally;
  /** Subjects that no request went to. */
  readonly forgotten: readonly string[];
}

/** Sends every request, a few at once, of every subject in turn, so that they meet what the others have made. */
export async function run<Request extends SentRequest>(fuzzed: Fuzzed<Request>): Promise<Outcome> {
  const { document, target, judge, note, prepare } = fuzzed;
  const subjects = fuzzed.subjects.filter(({ key }) => ONLY === undefined || key === ONLY);
  const tally = new Tally(document);
  const found = new Map<string, Finding>();
  const lane = async (left: Iterable<Asked<Request>>) => {
    for (const { key, asked } of left) {
      const wrong = await ask(target, asked).then(
        (answer) => {
          tally.count(key, answer.status);
          note?.(asked, answer, tally);
          const what = judge(asked, answer);
          return what === undefined ? undefined : { what, answer: answer.text.slice(0, 300) };
        },
        (error: unknown) => {
          tally.count(key, undefined);
          return { what: `gives no answer: ${String(error)}`, answer: '' };
        },
      );
      if (!wrong) continue;
      const finding = `${key} ${wrong.what}`;
      const { times = 0, ...first } = found.get(finding) ?? { asked: shown(asked), answer: wrong.answer };
      found.set(finding, { finding, ...first, times: times + 1 });
    }
  };
  for (const round of rounds(subjects)) {
    await prepare();
    // One iterator for all: whoever is free takes the next.
    const left = round.values();
    await Promise.all(Array.from({ length: LANES }, () => lane(left)));
  }
  const forgotten = subjects.map(({ key }) => key).filter((key) => !tally.asked.has(key));
  return { findings: [...found.values()], tally, forgotten };
}

interface Asked<Request> {
  readonly key: string;
  readonly asked: Request;
}

function* rounds<Request extends SentRequest>(
  subjects: readonly Subject<Request>[],
): Generator<Asked<Request>[]> {
  for (let done = 0; done < RUNS; done += ROUND) {
    const numRuns = Math.min(ROUND, RUNS - done);
    const samples = subjects.map(({ key, requests }, n) => {
      const seed = SEED * 1_000_000 + done * 1_000 + n;
      return fc.sample(requests, { numRuns, seed }).map((asked) => ({ key, asked }));
    });
    yield Array.from({ length: numRuns }, (_, at) => samples.flatMap((sample) => sample[at] ?? [])).flat();
  }
}

/** As a line that can be sent again. */
function shown({ method, path, headers, body, withKey }: SentRequest): string {
  const text = body === undefined ? '' : body.toString('utf8').slice(0, 600);
  return `${method} ${path.slice(0, 400)} ${JSON.stringify(headers).slice(0, 300)} ${withKey ? '' : '(no key) '}${text}`;
}
