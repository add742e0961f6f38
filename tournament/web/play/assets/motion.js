// Shows moves door by door. The speed is the choice in an element, kept
// between visits; those who want no motion get none.
import { length } from "./board.js";
import { store, stored } from "./dom.js";

const KEY = "gyges.speed";
const doorTimes = { slow: 320, normal: 160, fast: 70, off: 0 }; // milliseconds
const longest = 9; // doors; a longer course is shown in the time of so many
const none = matchMedia("(prefers-reduced-motion: reduce)");
let speed = stored(KEY) || "normal";

const doorTime = () => (none.matches || document.hidden ? 0 : (doorTimes[speed] ?? doorTimes.normal));

// choose makes a select element the choice of the speed.
export function choose(select) {
  select.value = speed in doorTimes ? speed : "normal";
  select.addEventListener("change", () => {
    speed = select.value;
    store(KEY, speed);
  });
  const restrict = () => {
    select.disabled = none.matches;
    select.title = none.matches ? "Off, as your system asks for reduced motion" : "";
  };
  none.addEventListener("change", restrict);
  restrict();
}

// create returns the motion on a board. play draws moves, a list of {before, move, position}, one after another, after
// going to the end of what was in motion, then calls done. skip goes to the end at once.
export function create() {
  let end = null; // ends what is in motion
  const skip = () => end?.();
  const ease = (t) => t * t * (3 - 2 * t);

  function play(board, moves, done) {
    skip();
    let frame = 0,
      i = 0,
      began = null;
    end = () => {
      end = null;
      cancelAnimationFrame(frame);
      done();
    };
    function step(now) {
      began ??= now;
      const { before, move, position } = moves[i],
        steps = length(move),
        each = doorTime() * Math.min(1, longest / steps);
      const door = each ? (now - began) / each : Infinity;
      if (door < steps) board.draw({ before, move, position, door: Math.floor(door) + ease(door % 1) });
      else if (door < steps + 1 && i < moves.length - 1)
        board.draw({ before, move, position }); // a pause before the next
      else {
        i++;
        began = null;
      }
      if (i < moves.length) frame = requestAnimationFrame(step);
      else skip();
    }
    if (moves.length && doorTime()) frame = requestAnimationFrame(step);
    else skip();
  }
  return { play, skip, isMoving: () => end !== null };
}
