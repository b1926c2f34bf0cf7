/** Local address of a listener: loopback if it listens on every address. */
export function nearestUrl({ host, port }: { host: string; port: number }): string {
  const nearest = { '0.0.0.0': '127.0.0.1', '::': '::1' }[host] ?? host
  return `http://${nearest.includes(':') ? `[${nearest}]` : nearest}:${port}`
}

/** The address at which this process took a connection, regardless of the request's host name. */
export function ownUrl({
  socket,
}: {
  socket: { localAddress?: string | undefined; localPort?: number | undefined }
}): string {
  const { localAddress = '127.0.0.1', localPort = 0 } = socket
  return nearestUrl({ host: localAddress, port: localPort })
}
