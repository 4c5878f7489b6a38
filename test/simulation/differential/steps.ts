/** What is asked of both API servers, as data. */
import type { Call } from '../../../kube/client/http-client.ts';
import type { Query } from '../../../kube/client/client.ts';

/**
 * What a server itself makes up is named in any text of a step: `$uid:Pod/a/b`, `$version:Pod/a/b`
 * of an object as it was answered last, `$before:3` the fourth newest version of any object,
 * `$token:0` the newest token of a list, `$name:17` the name that step 17 was answered with. What
 * is not known is `none`, or version 1.
 */
export type Step =
  | { do: 'call'; call: Call }
  /** Goes on until the next `settle`. */
  | { do: 'watch'; path: string; query: Query }
  /** All watches have heard all, are compared and end. */
  | { do: 'settle' }
  /** What was before is forgotten. There are no watches. */
  | { do: 'compact' };
