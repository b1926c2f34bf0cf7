import { assets } from '../console-assets.ts'

/** Redirects to another page from within this console, so that the browser sends its same-site cookies. */
export function ReturnPage({ to }: { to: string }) {
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta http-equiv="refresh" content={`0; url=${to}`} />
        <title>pawl</title>
        <link rel="icon" href={assets.icon} type="image/svg+xml" />
        <link rel="stylesheet" href={assets.style} />
      </head>
      <body>
        <main>
          <h1>One moment</h1>
          <p>
            <a href={to}>Go on</a>
          </p>
        </main>
      </body>
    </html>
  )
}
