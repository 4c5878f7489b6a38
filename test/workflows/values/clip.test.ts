import fc from 'fast-check';
import { clip } from '../../../workflows/values/clip.ts';

test('clip cuts a long text between two characters', () => {
  expect(clip('機械機械', 7)).toBe('機械');
  expect(clip('a👩b', 4)).toBe('a');
});

test('a clipped text as JSON is never longer than was asked, but for its quotes', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 60 }), fc.nat(40), (text, bytes) => {
      const json = JSON.stringify(clip(text, bytes));
      expect(Buffer.byteLength(json) - 2).toBeLessThanOrEqual(bytes);
    }),
  );
});
