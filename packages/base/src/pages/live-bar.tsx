/** Shows the state of live updates, with a button to stop them. They reload the parts marked `data-live` from `address`. */
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
