/** One answer for all namespaces that ask the same within a short time. */
import { monotonicMs } from '../../activities/system/system.ts';

/** A failure is an answer as well. */
export function briefly<Answer>(
  milliseconds: number,
  read: () => Promise<Answer>,
): () => Promise<Answer> {
  let known: { at: number; answer: Promise<Answer> } | undefined;
  return async () => {
    const now = monotonicMs();
    if (!known || now - known.at >= milliseconds) known = { at: now, answer: read() };
    return await known.answer;
  };
}

/** The same of each of some things, such as queues. There are few of them. */
export function brieflyEach<Answer>(
  milliseconds: number,
  read: (of: string) => Promise<Answer>,
): (of: string) => Promise<Answer> {
  const known = new Map<string, () => Promise<Answer>>();
  return async (of) => {
    const ask = known.get(of) ?? briefly(milliseconds, () => read(of));
    known.set(of, ask);
    return await ask();
  };
}
