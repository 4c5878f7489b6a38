/** Metadata of a payload that is encrypted, in the form of the samples of Temporal's SDKs. */
export const encryptedEncoding = 'binary/encrypted';
export const keyIdField = 'encryption-key-id';
