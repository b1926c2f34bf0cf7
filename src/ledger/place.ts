/** Where sealed bytes stand: their row and column. What is sealed for one place opens at no other. */
export type Place = string & { readonly place: unique symbol }

type Bytes = Uint8Array

const place = (...parts: readonly string[]) => JSON.stringify(parts) as Place // only here is one made

/** The places at which the ledger keeps sealed bytes. A baseline is a snapshot that was, and stands for one. */
export const placeOf = {
  body: (resourceId: string, fingerprint: Bytes) => place('body', resourceId, Buffer.from(fingerprint).toString('hex')),
  snapshot: (resourceId: string) => place('snapshot', resourceId),
  tried: (resourceId: string, handler: string) => place('tried', resourceId, handler),
  effect: (resourceId: string, handler: string, key: string) => place('effect', resourceId, handler, key),
}
