/** Period of counted refusals, in milliseconds. */
export const refusedWithinMs = 86_400_000

/** Remedies for each reason of a refused delivery (docs/failure.md, Deliveries). */
export const refusalChecks = {
  address_not_allowed:
    'Does the service send from an address that ALLOWED_ADDRESSES lacks, or does a proxy that TRUSTED_PROXIES lacks hide it?',
  wrong_method: 'Does something other than the service call /webhooks? The service sends POST.',
  wrong_content_type: 'Does something other than the service call /webhooks? The service sends application/json.',
  wrong_content_encoding: 'Does a proxy compress bodies on their way? The service sends them as they are.',
  too_large: 'Is MAX_BODY_BYTES large enough for what the service sends?',
  token_missing: 'Does the proxy pass the X-Webhook-Secret header on?',
  token_invalid: "Is the service's current secret among WEBHOOK_SECRETS?",
  token_expired:
    "Is the clock of this machine right (NTP)? If so, the sender's is wrong, or someone sends old tokens again.",
  body_digest_mismatch: 'Does the proxy change bodies on their way?',
  body_incomplete: 'Does the proxy or the network cut requests off?',
  body_too_slow: 'Is the proxy or the network slow?',
  not_json: "The sender's token is valid, so look between it and pawl: does a proxy change bodies?",
  json_too_deep: 'Does someone with a secret of WEBHOOK_SECRETS attack? Envelopes of the service are never so deep.',
  json_too_many_values:
    'Does someone with a secret of WEBHOOK_SECRETS attack? Envelopes of the service never have so many fields.',
  not_an_envelope: "The sender's token is valid: does something other than a webhook of the service come here?",
  too_many_connections:
    'Does a client flood PORT? List a proxy that needs more connections than MAX_CONNECTIONS_PER_ADDRESS in TRUSTED_PROXIES.',
  too_many_open_files:
    'Does a client keep many connections to PORT open? Else raise the limit of open files (ulimit -n): the log has it beside the refusal.',
  unreadable: 'Does something that speaks no HTTP, or sends headers of more than 16 KB, call PORT?',
} as const satisfies Record<string, string>

const otherwise = 'See the lines "delivery refused" in the log.'

/** One sentence with the remedy, for any reason. */
export function refusalCheckOf(reason: string): string {
  const checks: Record<string, string> = refusalChecks
  return (Object.hasOwn(checks, reason) ? checks[reason] : undefined) ?? otherwise
}
