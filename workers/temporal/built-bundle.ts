import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/**
 * What `npm run build` lays beside the built code, which has no sources to bundle. Undefined where
 * the sources run.
 */
export function builtBundle(name: string): { codePath: string } | undefined {
  const codePath = fileURLToPath(new URL(name, import.meta.url));
  return existsSync(codePath) ? { codePath } : undefined;
}
