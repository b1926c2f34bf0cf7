import { duration, Moment } from '@pawl/base/pages/words'
import type { LoggedBody, LoggedRequest } from '../../requests/request-log.ts'
import { Tile } from '@pawl/base/pages/tile'
import { pretty } from '../pretty.ts'
import { Layout } from '../sandbox-layout.tsx'
import { Answered, requestsAddress } from './requests-page.tsx'

/** One request with its body, its answer and its curl command. */
export function RequestPage({ request, curl }: { request: LoggedRequest; curl: string | undefined }) {
  const { id, at, method, path, organization, durationMs, body, answer } = request
  return (
    <Layout title={`Request ${id}`} at={requestsAddress}>
      <p>
        <code>
          {method} {path}
        </code>
      </p>
      <dl class="tiles">
        <Tile name="Status">
          <Answered {...request} />
        </Tile>
        <Tile name="Took">{duration(durationMs)}</Tile>
        <Tile name="At (wall clock)">
          <Moment at={at} />
        </Tile>
        <Tile name="Organization">{organization ?? 'none'}</Tile>
      </dl>
      <Body name="Request body" body={body} />
      <Body name="Answer" body={answer} />
      <h2>As curl</h2>
      {curl === undefined ? (
        <p>The log has only a part of the body.</p>
      ) : (
        <>
          <Blanks curl={curl} />
          <pre tabIndex={0} aria-label="As curl" role="region">
            <code id="curl">{curl}</code>
          </pre>
          <p>
            <button type="button" data-copy="curl" hidden>
              Copy
            </button>{' '}
            <span role="status" id="curl-copied"></span>
          </p>
        </>
      )}
      <p>
        <a href={requestsAddress}>All requests</a>
      </p>
    </Layout>
  )
}

/** Names the credentials that the reader must fill in. */
function Blanks({ curl }: { curl: string }) {
  const hasToken = curl.includes('Bearer $TOKEN')
  const hasSecret = curl.includes('"$SECRET"')
  if (!hasToken && !hasSecret) return null
  return (
    <p class="faint">
      The log keeps no credentials:{' '}
      {hasToken && (
        <>
          set <code>TOKEN</code> to an API token
        </>
      )}
      {hasToken && hasSecret && ', and '}
      {hasSecret && (
        <>
          fill in <code>$SECRET</code>
        </>
      )}
      .
    </p>
  )
}

function Body({ name, body }: { name: string; body: LoggedBody | undefined }) {
  return (
    <>
      <h2>{name}</h2>
      {body === undefined ? (
        <p class="faint">None.</p>
      ) : (
        <>
          {!body.isWhole && (
            <p class="note">
              {body.text === ''
                ? `Not kept: ${body.bytes} bytes that are not JSON.`
                : `The start of ${body.bytes} bytes.`}
            </p>
          )}
          {body.text !== '' && (
            <pre class="tall" tabIndex={0} aria-label={name} role="region">
              <code>{pretty(body.text)}</code>
            </pre>
          )}
        </>
      )}
    </>
  )
}
