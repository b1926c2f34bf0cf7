/** State and button of live updates: the parts of the page marked `data-live` are read again from `address`. */
export function LiveBar({ address }: { address: string }) {
  return (
    <div class="bar live" data-live-source hx-get={address} hx-trigger="every 2s" hx-swap="none">
      <p role="status" data-live-state>
        As of when the page was loaded
      </p>
      <button type="button" data-live-toggle hidden>
        Stop live updates
      </button>
    </div>
  )
}
