/**
 * What others send is read in a time that all others can wait: a tenant's Secret, or a Node of his,
 * must not stop the process that serves them too. Each reader gets 1 MiB of what it finds worst,
 * which takes minutes where the cost grows with the square of it.
 */
import { kubeConfigOfSecret } from '../activities/kube/client/kubeconfig.ts';

const size = 1024 * 1024;
/** Of the processor; some ten times what a reader takes. */
const mostSeconds = 3;

interface Row {
  what: string;
  /** Makes the input, and returns what reads it, which may throw: a refusal is an answer. */
  prepare(): () => unknown;
}

/** As many entries of some 8 bytes as fill the size. */
function entries<T>(entryOf: (at: string) => T): T[] {
  return Array.from({ length: size / 8 }, (_, at) => entryOf(at.toString(36)));
}

const kubeconfigs: Row[] = [
  { of: 'many keys', text: () => entries((at) => `k${at}: 1`).join('\n') },
  { of: 'many keys in one line', text: () => `{${entries((at) => `k${at}: 1`).join(', ')}}` },
  { of: 'deep lists', text: () => '['.repeat(size) },
  { of: 'many faults', text: () => '}\n'.repeat(size / 2) },
].flatMap(({ of, text }) =>
  // As much as it takes, and more.
  [64 * 1024, size].map((bytes) => ({
    what: `a kubeconfig in a Secret with ${bytes} bytes of ${of}`,
    prepare() {
      const given = { text: text().slice(0, bytes), source: 'Secret a/b' };
      return () => kubeConfigOfSecret(given);
    },
  })),
);

test.each<Row>([...kubeconfigs])('$what', ({ prepare }) => {
  const read = prepare();
  const before = process.threadCpuUsage();
  try {
    read();
  } catch {
    // Refused.
  }
  const { user, system } = process.threadCpuUsage(before);
  expect((user + system) / 1_000_000).toBeLessThan(mostSeconds);
});
