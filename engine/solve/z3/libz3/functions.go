package libz3

import "unsafe"

// What is used of z3_api.h. A C int or bool comes back in the low bits of a
// register, whose rest is not defined: see boolean.
var (
	fullVersion = function("Z3_get_full_version")
	allocated   = function("Z3_get_estimated_alloc_size")

	mkConfig    = function("Z3_mk_config")
	delConfig   = function("Z3_del_config")
	setConfig   = function("Z3_set_param_value")
	mkContext   = function("Z3_mk_context_rc")
	delContext  = function("Z3_del_context")
	setHandler  = function("Z3_set_error_handler")
	errorCode   = function("Z3_get_error_code")
	errorText   = function("Z3_get_error_msg")
	interrupt   = function("Z3_interrupt")
	incRef      = function("Z3_inc_ref")
	decRef      = function("Z3_dec_ref")
	astToString = function("Z3_ast_to_string")

	stringSymbol = function("Z3_mk_string_symbol")
	boolSort     = function("Z3_mk_bool_sort")
	intSort      = function("Z3_mk_int_sort")
	bvSort       = function("Z3_mk_bv_sort")
	mkConst      = function("Z3_mk_const")
	mkInt64      = function("Z3_mk_int64")
	mkUint64     = function("Z3_mk_unsigned_int64")

	mkTrue    = function("Z3_mk_true")
	mkFalse   = function("Z3_mk_false")
	mkNot     = function("Z3_mk_not")
	mkAnd     = function("Z3_mk_and")
	mkOr      = function("Z3_mk_or")
	mkImplies = function("Z3_mk_implies")
	mkIff     = function("Z3_mk_iff")
	mkIte     = function("Z3_mk_ite")
	mkEq      = function("Z3_mk_eq")
	mkLt      = function("Z3_mk_lt")
	mkAdd     = function("Z3_mk_add")
	mkSub     = function("Z3_mk_sub")
	mkPbLe    = function("Z3_mk_pble")
	mkPbEq    = function("Z3_mk_pbeq")

	bvAdd     = function("Z3_mk_bvadd")
	bvSub     = function("Z3_mk_bvsub")
	bvMul     = function("Z3_mk_bvmul")
	bvAnd     = function("Z3_mk_bvand")
	bvOr      = function("Z3_mk_bvor")
	bvXor     = function("Z3_mk_bvxor")
	bvSlt     = function("Z3_mk_bvslt")
	bvSle     = function("Z3_mk_bvsle")
	bvUlt     = function("Z3_mk_bvult")
	bvUle     = function("Z3_mk_bvule")
	bvExtract = function("Z3_mk_extract")
	bvZeroExt = function("Z3_mk_zero_ext")
	bvSignExt = function("Z3_mk_sign_ext")

	mkParams      = function("Z3_mk_params")
	paramsInc     = function("Z3_params_inc_ref")
	paramsDec     = function("Z3_params_dec_ref")
	paramsBool    = function("Z3_params_set_bool")
	paramsUint    = function("Z3_params_set_uint")
	paramsSymbol  = function("Z3_params_set_symbol")
	mkSolver      = function("Z3_mk_simple_solver")
	solverInc     = function("Z3_solver_inc_ref")
	solverDec     = function("Z3_solver_dec_ref")
	solverParams  = function("Z3_solver_set_params")
	solverPush    = function("Z3_solver_push")
	solverPop     = function("Z3_solver_pop")
	solverAssert  = function("Z3_solver_assert")
	solverCheck   = function("Z3_solver_check_assumptions")
	solverReason  = function("Z3_solver_get_reason_unknown")
	solverCore    = function("Z3_solver_get_unsat_core")
	solverModel   = function("Z3_solver_get_model")
	solverString  = function("Z3_solver_to_string")
	solverStats   = function("Z3_solver_get_statistics")
	vectorInc     = function("Z3_ast_vector_inc_ref")
	vectorDec     = function("Z3_ast_vector_dec_ref")
	vectorSize    = function("Z3_ast_vector_size")
	vectorGet     = function("Z3_ast_vector_get")
	modelInc      = function("Z3_model_inc_ref")
	modelDec      = function("Z3_model_dec_ref")
	modelEval     = function("Z3_model_eval")
	boolValue     = function("Z3_get_bool_value")
	numeralInt64  = function("Z3_get_numeral_int64")
	numeralUint64 = function("Z3_get_numeral_uint64")
	statsInc      = function("Z3_stats_inc_ref")
	statsDec      = function("Z3_stats_dec_ref")
	statsSize     = function("Z3_stats_size")
	statsKey      = function("Z3_stats_get_key")
	statsIsUint   = function("Z3_stats_is_uint")
	statsUint     = function("Z3_stats_get_uint_value")
)

// boolean reads a C bool.
func boolean(r uintptr) bool { return r&0xff != 0 }

// cString ends a Go string as C wants it.
func cString(s string) *byte {
	b := make([]byte, len(s)+1)
	copy(b, s)
	return &b[0]
}

// goString copies a C string, which Z3 may overwrite at the next call.
func goString(addr uintptr) string {
	if addr == 0 {
		return ""
	}
	// The address is of C memory, which does not move.
	p := *(*unsafe.Pointer)(unsafe.Pointer(&addr))
	n := 0
	for *(*byte)(unsafe.Add(p, n)) != 0 {
		n++
	}
	return string(unsafe.Slice((*byte)(p), n))
}

// Allocated is an estimate of the bytes that Z3 holds in this process.
func Allocated() uint64 { return uint64(allocated.call()) }
