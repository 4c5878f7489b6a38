/** Which contract the kit asks a driver for: all of ours, or what MCM's interface can say. */

/** What a driver behind MCM's interface does not have: it gets a name and the class's tags. */
export const notInMcm = {
  cluster: 'MCM gives its drivers no cluster: whatever has the tags of the class is taken for ours',
  token: 'MCM gives its drivers no token: none is remembered as spent',
  validation: 'MCM asks its drivers for no validation: a wrong spec is refused by the create',
} as const;

/** `mcm`: of a driver behind the bridge for MCM's drivers. */
export const contracts = ['millwright', 'mcm'] as const;
export type Contract = (typeof contracts)[number];
