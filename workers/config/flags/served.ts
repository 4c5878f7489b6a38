/** How the texts of `--serve` and `--providers` become values. */
import type { BuiltInProvider } from '../../../activities/drivers/providers.ts';
import { builtInProviders } from '../../../activities/drivers/providers.ts';
import type { Kind } from './kinds.ts';
import { names } from './kinds.ts';

/** As `--serve` names it, before it is known which drivers there are. */
export interface ServedParts {
  /** Workflows, and the activities that act on Kubernetes. */
  core: boolean;
  drain: boolean;
  /** All that the process has. */
  drivers: boolean;
  namedDrivers: readonly BuiltInProvider[];
}

const driverPrefix = 'driver:';
const providersInWords = builtInProviders.join(', ');

/** Upper and lower case are the same. Undefined for another word, and for none at all. */
export const servedParts: Kind<ServedParts> = {
  placeholder: 'LIST',
  allowed: `core, drain, driver, and driver:PROVIDER with one of ${providersInWords}, separated by commas`,
  parse: (value) => {
    const words = wordsIn(value);
    const namedDrivers = words
      .filter((word) => word.startsWith(driverPrefix))
      .map((word) => providerNamed(word.slice(driverPrefix.length)));
    const known = new Set(['core', 'drain', 'driver']);
    const others = words.filter((word) => !word.startsWith(driverPrefix));
    if (words.length === 0 || !others.every((word) => known.has(word))) return undefined;
    if (!areKnown(namedDrivers)) return undefined;
    return {
      core: words.includes('core'),
      drain: words.includes('drain'),
      drivers: words.includes('driver'),
      namedDrivers: [...new Set(namedDrivers)],
    };
  },
};

/** Upper and lower case are the same. `none`: an empty list. */
export const providerList: Kind<readonly BuiltInProvider[]> = {
  placeholder: 'LIST',
  allowed: `${providersInWords}, separated by commas; or none`,
  parse: (value) => {
    const words = wordsIn(value);
    if (words.length === 1 && words[0] === 'none') return [];
    const providers = words.map(providerNamed);
    return words.length > 0 && areKnown(providers) ? [...new Set(providers)] : undefined;
  },
};

const wordsIn = (value: string): string[] =>
  (names.parse(value) ?? []).map((word) => word.toLowerCase());

function providerNamed(word: string): BuiltInProvider | undefined {
  return builtInProviders.find((provider) => provider.toLowerCase() === word);
}

function areKnown(
  providers: readonly (BuiltInProvider | undefined)[],
): providers is readonly BuiltInProvider[] {
  return !providers.includes(undefined);
}
