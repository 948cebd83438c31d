import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Batcher } from '../../src/platform/batcher.js';
import { ByteBoundedMap } from '../../src/platform/byte-bounded-map.js';

/** A batch that waits until it is told to go on. */
function heldBatches() {
  const batches: { questions: readonly number[]; go: () => void; fail: (error: Error) => void }[] = [];
  const answerAll = (questions: readonly number[]) =>
    new Promise<number[]>((resolve, reject) => {
      batches.push({
        questions,
        go: () => {
          resolve(questions.map((question) => question * 10));
        },
        fail: reject,
      });
    });
  return { batches, answerAll };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('a batcher', () => {
  it('sends together what was asked in one turn, and gathers while as many are under way as may be', async () => {
    const { batches, answerAll } = heldBatches();
    const batcher = new Batcher(answerAll, { inFlightMax: 2, batchMax: 3, isShared: () => false });
    const answers = [1, 2].map((question) => batcher.ask(question));
    await turn();
    answers.push(batcher.ask(3));
    await turn();
    answers.push(...[4, 5, 6, 7].map((question) => batcher.ask(question)));
    await turn();
    expect(batches.map(({ questions }) => questions)).toEqual([[1, 2], [3]]);
    batches[1]?.go();
    await answers[2];
    await turn();
    expect(batches[2]?.questions).toEqual([4, 5, 6]);
    batches[0]?.go();
    await turn();
    expect(batches[3]?.questions).toEqual([7]);
    for (const { go } of batches) go();
    expect(await Promise.all(answers)).toEqual([10, 20, 30, 40, 50, 60, 70]);
  });

  it('asks each question of a failed batch alone: only those fail that fail alone', async () => {
    const asked: number[][] = [];
    const batcher = new Batcher(
      (questions: readonly number[]) => {
        asked.push([...questions]);
        return questions.includes(13) ? Promise.reject(new Error('13')) : Promise.resolve(questions);
      },
      { inFlightMax: 1, batchMax: 10, isShared: () => false },
    );
    const outcomes = await Promise.allSettled([12, 13, 14].map((question) => batcher.ask(question)));
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(asked).toEqual([[12, 13, 14], [12], [13], [14]]);
  });

  it('does not ask again when the reason is one that all share', async () => {
    let calls = 0;
    const batcher = new Batcher(
      () => {
        calls++;
        return Promise.reject(new Error('away'));
      },
      { inFlightMax: 1, batchMax: 10, isShared: () => true },
    );
    const outcomes = await Promise.allSettled([1, 2, 3].map((question) => batcher.ask(question)));
    expect([calls, outcomes.map(({ status }) => status)]).toEqual([1, ['rejected', 'rejected', 'rejected']]);
  });

  it('fails everyone of a batch that got fewer answers than it has questions', async () => {
    const batcher = new Batcher(() => Promise.resolve([]), {
      ...{ inFlightMax: 1, batchMax: 10 },
      isShared: () => false,
    });
    await expect(batcher.ask(1)).rejects.toThrow('A batch of 1 questions got 0 answers');
  });
});

describe('a byte-bounded map', () => {
  it('never holds more than it may, and always what was used last', () => {
    const key = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f');
    const step = fc.oneof(
      fc.record({ kind: fc.constant('set' as const), key, bytes: fc.integer({ min: 1, max: 60 }) }),
      fc.record({ kind: fc.constant('get' as const), key, bytes: fc.constant(0) }),
      fc.record({ kind: fc.constant('delete' as const), key, bytes: fc.constant(0) }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const map = new ByteBoundedMap<number>(100);
        // The model: what is held, the one used longest ago first.
        let model: { key: string; bytes: number }[] = [];
        for (const { kind, key: name, bytes } of steps) {
          const held = model.find((entry) => entry.key === name);
          if (kind === 'get') {
            expect(map.get(name)).toBe(held?.bytes);
            if (held) model = [...model.filter((entry) => entry !== held), held];
            continue;
          }
          model = model.filter((entry) => entry !== held);
          if (kind === 'delete') map.delete(name);
          else {
            map.set(name, bytes, bytes);
            model.push({ key: name, bytes });
            while (model.reduce((sum, entry) => sum + entry.bytes, 0) > 100) model.shift();
          }
          expect(map.bytes).toBe(model.reduce((sum, entry) => sum + entry.bytes, 0));
          expect(map.size).toBe(model.length);
        }
      }),
    );
  });

  it('keeps nothing that is larger than itself, and nothing at all with no room', () => {
    const map = new ByteBoundedMap<string>(10);
    map.set('small', 'small', 10);
    map.set('large', 'large', 11);
    expect([map.get('small'), map.get('large'), map.bytes]).toEqual(['small', undefined, 10]);
    const none = new ByteBoundedMap<string>(0);
    none.set('a', 'a', 1);
    expect([none.get('a'), none.size]).toEqual([undefined, 0]);
  });
});
