import { systemCodeOf } from '@pawl/base/errors'

/** An exchange over MLLP ended without an answer. The message never quotes the listener. */
export class MllpFailed extends Error {
  /** Only an operator can fix it, such as a certificate; the document itself is fine. */
  readonly isSettings: boolean
  /** The run was given up: nothing is wrong with the listener. */
  readonly isGivenUp: boolean

  constructor(reason: string, { isSettings = false, isGivenUp = false, cause }: MllpFailure = {}) {
    super(reason, { cause })
    this.isSettings = isSettings
    this.isGivenUp = isGivenUp
  }
}

interface MllpFailure {
  isSettings?: boolean
  isGivenUp?: boolean
  cause?: unknown
}

/** Translates the error that ended a connection; undefined: it ended without one. */
export function describeSocketError(error: unknown): MllpFailed {
  if (error === undefined) return new MllpFailed('the connection was lost')
  const code = systemCodeOf(error) ?? 'unexpected'
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return settings('the certificate of the listener is for another host than EHR_URL names', error)
  if (code.startsWith('ERR_SSL_'))
    return settings(
      `no TLS with the listener (${code}): check that the port is for TLS, and HL7_CERT_FILE where it asks for a client certificate`,
      error,
    )
  if (isCertificateCode(code))
    return settings(`the certificate of the listener is not trusted (${code}): check HL7_CA_FILE`, error)
  return new MllpFailed(`no connection (${code})`, { cause: error })
}

/** Codes of OpenSSL's verification have no prefix in common. */
function isCertificateCode(code: string): boolean {
  return /CERT|SELF_SIGNED|UNABLE_TO_|LEAF_SIGNATURE|HOSTNAME_MISMATCH|CRL/.test(code)
}

function settings(reason: string, cause: unknown): MllpFailed {
  return new MllpFailed(reason, { isSettings: true, cause })
}
