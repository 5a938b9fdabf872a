package points
import ("testing";"context";"fmt";"os/exec";"github.com/hocket-dev/hocket/engine/instrument";"github.com/hocket-dev/hocket/engine/trace")
func TestTry(t *testing.T) {
	tg := instrument.Target{Dir: "/tmp/nv/t1", Entry: "main"}
	f := "/tmp/nv/t1/main.go"
	b, err := Prepare(context.Background(), tg, "/tmp/nv/b1", []Place{{ID:1,Kind:Spawn,File:f,Line:39},{ID:1,Kind:At,File:f,Line:20,Op:trace.OpLock},{ID:2,Kind:CondWake,File:f,Line:32}, {Kind:Linger,File:f,Func:"main"}})
	fmt.Println(b, err)
	cmd := exec.Command(b.Go, append(append([]string{"build","-o","/tmp/nv/t1.bin"}, b.Flags...), ".")...)
	cmd.Dir = tg.Dir
	cmd.Env = tg.Environ(b.Env...)
	out, err := cmd.CombinedOutput()
	fmt.Println(string(out), err)
}
