import { Layout } from './console-layout.tsx'
import { PostForm } from './forms.tsx'

interface LoginPageProps {
  /** The requested page. */
  to: string
  /** Whether the browser had a session, which has ended. */
  hasEnded: boolean
  /** Why the login failed. */
  message?: string
  /** Whether a login by name and password is possible. */
  takesPasswords: boolean
  /** Whether a login by an identity provider is possible. */
  hasProvider: boolean
}

export function LoginPage({ to, hasEnded, message, takesPasswords, hasProvider }: LoginPageProps) {
  return (
    <Layout title="Log in" at={undefined}>
      {hasEnded && (
        <p class="note" role="status">
          Your session has ended. It lasts half an hour without a request and twelve hours in all; without SEALING_KEYS,
          a restart of pawl ends it too.
        </p>
      )}
      {message !== undefined && (
        <p class="note bad" role="alert">
          {message}
        </p>
      )}
      {hasProvider && (
        <p>
          <a class="button" href={`/login/oidc?to=${encodeURIComponent(to)}`}>
            Log in with your organization's account
          </a>
        </p>
      )}
      {takesPasswords && (
        <PostForm action="/login" label="Log in" fields={{ to }}>
          <p>
            <label for="name">Name</label>
            <input
              id="name"
              name="name"
              type="text"
              required
              maxLength={120}
              autocomplete="username"
              autocapitalize="none"
              spellcheck={false}
            />
          </p>
          <p>
            <label for="password">Password</label>
            <input
              id="password"
              name="password"
              type="password"
              required
              maxLength={1000}
              autocomplete="current-password"
            />
          </p>
          <p>
            <button type="submit" class="act">
              Log in
            </button>
          </p>
        </PostForm>
      )}
      {!takesPasswords && !hasProvider && <p>The proxy in front of pawl authenticates users, but it named none.</p>}
    </Layout>
  )
}
