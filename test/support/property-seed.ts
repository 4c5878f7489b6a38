/** Of every property: a test turns red because the code changed, and not because of its luck. */
import fc from 'fast-check';
import { testSeed } from './seed.ts';

export function seedProperties(): void {
  fc.configureGlobal({ seed: testSeed() });
}
