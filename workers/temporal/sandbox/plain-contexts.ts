/** Contexts of `node:vm` whose global object is a plain one. */
import vm from 'node:vm';

/**
 * The SDK's contexts answer each use of a global by a call into Node.js, which costs much
 * (docs/decisions/0035-lean-sandbox.md). Returns what takes this back.
 */
export function makePlainContexts(): () => void {
  const { createContext } = vm;
  vm.createContext = (_object, options) => createContext(vm.constants.DONT_CONTEXTIFY, options);
  return () => {
    vm.createContext = createContext;
  };
}
