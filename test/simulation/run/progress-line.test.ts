import { ProgressLine } from './progress-line.ts';

/** What a line writes when it is shown a text at each of these times, milliseconds. */
function written(isTTY: boolean, times: readonly number[]): string[] {
  const parts: string[] = [];
  let now = 0;
  const stream = { isTTY, columns: 8, write: (text: string) => parts.push(text) > 0 };
  const line = new ProgressLine(stream, () => now);
  for (const time of times) {
    now = time;
    line.show(`at ${time} ms`);
  }
  line.clear();
  return parts;
}

test('a terminal has one line, which is as long as there is room', () => {
  expect(written(true, [0, 50, 200])).toEqual([
    '\r\u001B[Kat 0 ms',
    '\r\u001B[Kat 200 ',
    '\r\u001B[K',
  ]);
});

test('a log has a line now and then', () => {
  expect(written(false, [0, 5_000, 16_000])).toEqual(['at 0 ms\n', 'at 16000 ms\n']);
});
