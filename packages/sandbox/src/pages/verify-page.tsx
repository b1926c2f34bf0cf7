import { verificationCode } from '../documents/verification-code.ts'
import { Layout } from './sandbox-layout.tsx'

/** Path of this page. */
export const verifyAddress = '/_sandbox/pages/verify'

/** Code that verifies deliveries, by language. */
export function VerifyPage() {
  return (
    <Layout title="Verify a delivery" at="/_sandbox/pages/deliveries">
      <p>
        Each delivery carries <code>X-Webhook-Secret</code>, a JWT under the webhook’s secret. Verify it with the raw
        bytes of the body before you parse them, and answer 401 if that fails.
      </p>
      <ul>
        <li>HS256 and no other algorithm; the key is the secret in UTF-8.</li>
        <li>
          The service documents no claims: ask for no issuer and no audience, and check <code>exp</code>,{' '}
          <code>nbf</code> and <code>body_sha256</code> if the token has them.
        </li>
        <li>It proves the sender, not what is true now: ask the API for the current state.</li>
      </ul>
      {verificationCode.map(({ language, library, code }) => {
        const id = `code-${language.toLowerCase().replace('#', 'sharp')}`
        return (
          <section key={language} aria-label={language}>
            <h2>{language}</h2>
            <p class="faint">{library === undefined ? 'The standard library is enough.' : <code>{library}</code>}</p>
            <pre class="tall" tabIndex={0} aria-label={`${language} code`} role="region">
              <code id={id}>{code}</code>
            </pre>
            <p>
              <button type="button" data-copy={id} aria-label={`Copy: ${language}`} hidden>
                Copy
              </button>{' '}
              <span role="status" id={`${id}-copied`}></span>
            </p>
          </section>
        )
      })}
    </Layout>
  )
}
