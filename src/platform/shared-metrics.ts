import cluster from 'node:cluster';
import type { Worker } from 'node:cluster';
import { AggregatorRegistry } from 'prom-client';
import type { Registry } from 'prom-client';

/** What the processes of one server say to each other about metrics. */
type Message =
  | { readonly metrics: 'ask-all' | 'ask-own'; readonly id: number }
  | { readonly metrics: 'all'; readonly id: number; readonly text: string }
  | { readonly metrics: 'own'; readonly id: number; readonly values: object };

/** A process that says nothing for so long is left out: half the numbers are better than none. */
const PATIENCE_MS = 2_000;

/**
 * The metrics of all processes of this server as one, whichever of them is asked: counters and histograms added up. The
 * first process gathers them, the others have it do so. Calls of one process are its own: make one.
 */
export function shareMetrics(registry: Registry): () => Promise<string> {
  let asked = 0;
  const waiting = new Map<number, (answer: Message | undefined) => void>();
  const ask = (send: (message: Message) => void, metrics: 'ask-all' | 'ask-own') =>
    new Promise<Message | undefined>((resolve) => {
      const id = asked++;
      const late = setTimeout(() => {
        answered(id, undefined);
      }, PATIENCE_MS);
      waiting.set(id, (answer) => {
        clearTimeout(late);
        resolve(answer);
      });
      send({ metrics, id });
    });
  const answered = (id: number, answer: Message | undefined) => {
    waiting.get(id)?.(answer);
    waiting.delete(id);
  };

  if (cluster.isWorker) {
    const tellOwn = async (id: number) => {
      const values = await registry.getMetricsAsJSON();
      process.send?.({ metrics: 'own', id, values } satisfies Message);
    };
    process.on('message', (message: Message) => {
      if (message.metrics === 'all') answered(message.id, message);
      if (message.metrics === 'ask-own') void tellOwn(message.id);
    });
    return async () => {
      const answer = await ask((message) => process.send?.(message), 'ask-all');
      return answer?.metrics === 'all' ? answer.text : registry.metrics();
    };
  }

  const all = async () => {
    const others = Object.values(cluster.workers ?? {}).flatMap((worker) => worker ?? []);
    const answers = await Promise.all(
      others.map((worker) => ask((message) => worker.send(message), 'ask-own')),
    );
    const values = answers.flatMap((answer) => (answer?.metrics === 'own' ? [answer.values] : []));
    return AggregatorRegistry.aggregate([await registry.getMetricsAsJSON(), ...values]).metrics();
  };
  const tellAll = async (worker: Worker, id: number) => {
    const text = await all();
    if (worker.isConnected()) worker.send({ metrics: 'all', id, text } satisfies Message);
  };
  cluster.on('message', (worker, message: Message) => {
    if (message.metrics === 'own') answered(message.id, message);
    if (message.metrics === 'ask-all') void tellAll(worker, message.id);
  });
  return all;
}
