/** Options that every command has. */

export interface Common {
  /** Undefined: that of the kubeconfig's context. */
  namespace: string | undefined;
  /** Empty: where kubectl looks too. */
  kubeconfig: string;
  isJson: boolean;
}
