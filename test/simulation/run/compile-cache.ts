/** What Node keeps of compiled modules: a process that starts again needs half the CPU for it. */
import { enableCompileCache } from 'node:module';
import { join } from 'node:path';
import { repository } from '../../../deploy/local/layout.ts';

/** To be called before the world is imported. Where it fails, all takes longer and works. */
export function useCompileCache(): void {
  enableCompileCache(join(repository, '.millwright', 'compile-cache'));
}
