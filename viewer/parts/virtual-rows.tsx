/**
 * A list of any length of which only what can be seen is in the document. Rows are measured; the place of what is looked at
 * stays when rows come or go above it, and the end stays in view while somebody follows it.
 *
 * For the keyboard it is one stop and the controls of one row, however many rows there are: Tab goes from the list to the row
 * that somebody stood on, through what is in it, and leaves the list; rows are walked by other keys.
 */
import { elementScroll, observeElementOffset, observeElementRect, Virtualizer } from "@tanstack/virtual-core";
import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";

export interface VirtualRowsProps<R extends { readonly id: string }> {
  readonly rows: readonly R[];
  readonly label: string;
  /** Pixels of a row that was never drawn. */
  readonly estimate: (row: R) => number;
  /** Place of the row that has the focus of the keyboard. */
  readonly focused: number;
  readonly follows: boolean;
  /** Somebody scrolled: whether the end is in view now. */
  readonly onEnd: (isAtEnd: boolean) => void;
  readonly onFocus: (at: number) => void;
  /** What a row shows; it is asked again only with new properties: signals that it depends on are read by who gives them. */
  readonly render: (row: R, at: number) => ComponentChildren;
  readonly labelOf: (row: R) => string;
  readonly classOf: (row: R) => string;
  readonly empty: ComponentChildren;
}

/** Less room that shows the same rows draws them anew, too: whoever follows is taken to the end of them. */
const observeRoom: typeof observeElementRect<HTMLDivElement> = (list, onSize) =>
  observeElementRect(list, (rect) => {
    onSize(rect);
    list.options.onChange(list, false);
  });

/** What Tab comes to, besides what Chromium makes a stop because it scrolls. */
const stops = 'a[href], button, input, select, textarea, summary, [tabindex="0"]';

/** Pixels from the end within which it counts as in view. */
const nearEnd = 48;

export function VirtualRows<R extends { readonly id: string }>(props: VirtualRowsProps<R>) {
  const { rows, focused, follows } = props;
  const box = useRef<HTMLDivElement>(null);
  const [, redraw] = useState(0);
  const current = useRef(props);
  current.current = props;
  const list = useRef<Virtualizer<HTMLDivElement, HTMLDivElement> | null>(null);

  // Of these rows: the list computes every place anew when it is given another function, so it gets one only with other rows.
  const keyOf = useMemo(() => (at: number) => rows[at]?.id ?? at, [rows]);
  const options = {
    count: rows.length,
    getScrollElement: () => box.current,
    estimateSize: (at: number) => {
      const row = current.current.rows[at];
      return row === undefined ? 30 : current.current.estimate(row);
    },
    getItemKey: keyOf,
    scrollToFn: elementScroll,
    observeElementRect: observeRoom,
    observeElementOffset,
    overscan: 6,
    onChange: () => redraw((n) => n + 1),
  };
  list.current ??= new Virtualizer<HTMLDivElement, HTMLDivElement>(options);
  const virtual = list.current;
  virtual.setOptions({ ...virtual.options, ...options });
  // Who follows is taken to the end by what follows it below; the list would go by the place that it heard of last.
  virtual.shouldAdjustScrollPositionOnItemSizeChange = follows ? () => false : undefined;

  useLayoutEffect(() => virtual._didMount(), [virtual]);
  useLayoutEffect(() => virtual._willUpdate());

  // Rows that come above what is looked at push it down: the first row in view is found again by its name.
  const anchor = useRef<{ readonly id: string; readonly offset: number } | null>(null);
  const before = useRef<readonly R[]>(rows);
  useLayoutEffect(() => {
    if (before.current !== rows && !follows && anchor.current !== null) {
      const { id, offset } = anchor.current;
      const at = rows[0]?.id === before.current[0]?.id ? -1 : rows.findIndex((row) => row.id === id);
      const place = at < 0 ? undefined : virtual.getOffsetForIndex(at, "start")?.[0];
      if (place !== undefined) virtual.scrollToOffset(place + offset);
    }
    before.current = rows;
  });
  const total = virtual.getTotalSize();
  // Growing rows and new ones, or less room for them: the end is where it was, at the end. Who has scrolled up since is not taken back, also when
  // the browser has not told of it yet.
  const end = useRef<{ readonly top: number; readonly bottom: number; readonly height: number } | null>(null);
  const bottomOf = (element: HTMLElement): number => element.scrollTop + element.clientHeight;
  const isAway = (element: HTMLElement): boolean => element.scrollHeight - bottomOf(element) >= nearEnd;
  /** Somebody scrolled up: not only have the rows grown since the end was gone to, or there is other room for them. */
  const hasLeft = (element: HTMLElement): boolean =>
    end.current !== null &&
    isAway(element) &&
    element.scrollTop < end.current.top - 2 &&
    bottomOf(element) < end.current.bottom - 2 &&
    element.scrollHeight >= end.current.height;
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return;
    const isLeft = hasLeft(element);
    end.current = null;
    if (!follows) return;
    if (isLeft) {
      current.current.onEnd(false);
      return;
    }
    element.scrollTop = element.scrollHeight;
    end.current = { top: element.scrollTop, bottom: bottomOf(element), height: element.scrollHeight };
  }, [follows, total, rows.length, virtual.scrollRect?.height]);

  useEffect(() => {
    if (focused < 0 || focused >= rows.length) return;
    virtual.scrollToIndex(focused, { align: "auto" });
    const id = rows[focused]?.id;
    requestAnimationFrame(() => {
      // Somebody may be elsewhere by now.
      const { activeElement } = document;
      if (activeElement !== document.body && !box.current?.contains(activeElement)) return;
      const row = box.current?.querySelector<HTMLElement>(`[data-index="${focused}"]`);
      if (row !== null && row !== undefined && row.dataset.id === id) row.focus({ preventScroll: true });
    });
    // Only a step of the keyboard moves the view, not each row that comes.
  }, [focused]);

  const items = virtual.getVirtualItems();
  // Somebody who scrolls draws the list many times a second with the same properties: rows that stay are not drawn again.
  const drawn = useRef<{ of: VirtualRowsProps<R>; readonly rows: Map<string, ComponentChildren> } | null>(
    null,
  );
  const known = drawn.current?.of === props ? drawn.current.rows : new Map<string, ComponentChildren>();
  const drawnNow = new Map<string, ComponentChildren>();
  const contentOf = (row: R, at: number): ComponentChildren => {
    const content = known.get(row.id) ?? props.render(row, at);
    drawnNow.set(row.id, content);
    return content;
  };
  drawn.current = { of: props, rows: drawnNow };
  const onScroll = (): void => {
    const element = box.current;
    if (element === null) return;
    const first = virtual.getVirtualItemForOffset(element.scrollTop);
    const row = first === undefined ? undefined : current.current.rows[first.index];
    if (first !== undefined && row !== undefined)
      anchor.current = { id: row.id, offset: element.scrollTop - first.start };
    // Who follows is told of by the browser, too, when rows have grown and the end was not gone to yet.
    if (!follows || !isAway(element) || hasLeft(element)) props.onEnd(!isAway(element));
  };

  const beginning = useRef<HTMLSpanElement>(null);
  const ending = useRef<HTMLSpanElement>(null);
  const onTab = (event: KeyboardEvent): void => {
    if (event.key !== "Tab" || event.altKey || event.ctrlKey || event.metaKey) return;
    const target = event.target as HTMLElement;
    if (target === box.current) {
      const row = event.shiftKey ? null : rowToEnter();
      if (row === null) return;
      event.preventDefault();
      row.focus({ preventScroll: true });
      return;
    }
    const row = target.closest<HTMLElement>(".row");
    if (row === null) return;
    const further = event.shiftKey ? Node.DOCUMENT_POSITION_PRECEDING : Node.DOCUMENT_POSITION_FOLLOWING;
    const isInside = [row, ...row.querySelectorAll<HTMLElement>(stops)].some(
      (one) => (target.compareDocumentPosition(one) & further) !== 0 && one.checkVisibility(),
    );
    // From an end of the list the browser itself goes on to what stands beyond it.
    if (!isInside) (event.shiftKey ? beginning : ending).current?.focus({ preventScroll: true });
  };
  const rowToEnter = (): HTMLElement | null => {
    const drawnAt = (at: number | undefined) =>
      box.current?.querySelector<HTMLElement>(`[data-index="${at}"]`) ?? null;
    return drawnAt(focused) ?? drawnAt(virtual.getVirtualItemForOffset(box.current?.scrollTop ?? 0)?.index);
  };

  if (rows.length === 0) return <div class="feed">{props.empty}</div>;
  return (
    <>
      <span ref={beginning} class="unseen" tabIndex={-1} />
      <div
        class="feed"
        ref={box}
        onScroll={onScroll}
        onKeyDown={onTab}
        tabIndex={0}
        role="feed"
        aria-label={props.label}
        aria-busy="false"
      >
        <div class="feed-all" style={{ height: `${total}px` }} role="presentation">
          {items.map((item) => {
            const row = rows[item.index];
            if (row === undefined) return null;
            return (
              <div
                key={item.key}
                ref={virtual.measureElement}
                data-index={item.index}
                data-id={row.id}
                class={`row ${props.classOf(row)}${item.index === focused ? " focused" : ""}`}
                style={{ transform: `translateY(${item.start}px)` }}
                role="article"
                aria-label={props.labelOf(row)}
                aria-posinset={item.index + 1}
                aria-setsize={rows.length}
                tabIndex={0}
                onFocus={(event) => {
                  if (event.target === event.currentTarget) props.onFocus(item.index);
                }}
              >
                {contentOf(row, item.index)}
              </div>
            );
          })}
        </div>
      </div>
      <span ref={ending} class="unseen" tabIndex={-1} />
    </>
  );
}
