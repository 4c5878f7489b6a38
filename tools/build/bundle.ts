/** Both parts are bundled alike: TypeScript in, plain ECMAScript modules out, all in one folder. */
import { build as rolldown } from 'rolldown';
import { repository } from './folders.ts';
import { entrancesOfPaths } from './entrances-of-paths.ts';

export interface Bundle {
  /** Where the files are written. */
  folder: string;
  /** Source files by the name of the file that is made of each. */
  input: Readonly<Record<string, string>>;
  /** Is this package left out of the bundle, and found in `node_modules` when the code runs? */
  isExternal: (id: string) => boolean;
  /** As Rolldown names releases of ECMAScript and Node. */
  target: string;
  /** Packages that stand in for others, by name. */
  alias?: Readonly<Record<string, string>>;
}

/** Returns the folders of the packages that the bundle contains, sorted. */
export async function bundle(options: Bundle): Promise<string[]> {
  const { folder, input, isExternal, target, alias = {} } = options;
  const { output } = await rolldown({
    cwd: repository,
    input: { ...input },
    platform: 'node',
    external: isExternal,
    resolve: { alias: { ...alias } },
    // Sources that are also scripts must not act as such where they are a part of an entrance.
    transform: { target, define: { 'import.meta.main': 'false' } },
    plugins: [...entrancesOfPaths],
    output: {
      dir: folder,
      format: 'esm',
      // Beside the entrances: code that reads a file next to itself finds it wherever
      // Rolldown has put that code.
      chunkFileNames: '[name]-[hash].js',
    },
    logLevel: 'warn',
  });
  const modules = output.flatMap((made) => (made.type === 'chunk' ? made.moduleIds : []));
  return [...new Set(modules.flatMap(packageFolderOf))].toSorted();
}

function packageFolderOf(module: string): string[] {
  const found = /^\0?(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(module);
  return found?.[1] === undefined ? [] : [found[1]];
}
