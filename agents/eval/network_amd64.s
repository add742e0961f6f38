#include "go_asm.h"
#include "textflag.h"

// The rows of an input have 2 x 512 bytes: HiddenUnits is 256. The sums of 128 units are in registers at a time.
#define ROWS 1024
#define HALF 512
#define CHUNK 256

// One vector of 16 units: the activation min(max(sum - offset, 0), QA), times the output
// weights, added to Y8. Y9 has the offset, Y10 zeros, Y11 QA in each lane.
#define OUTPUT(sum, place) \
	VPSUBW   Y9, sum, sum;         \
	VPMAXSW  Y10, sum, sum;        \
	VPMINSW  Y11, sum, sum;        \
	VPMADDWD place(R13), sum, sum;  \
	VPADDD   sum, Y8, Y8

// func valueAVX2(rows, bias, out, list, n) int32
TEXT ·valueAVX2(SB), NOSPLIT, $0-44
	MOVQ rows+0(FP), DI
	MOVQ bias+8(FP), SI
	MOVQ out+16(FP), DX
	MOVQ list+24(FP), R8
	MOVQ n+32(FP), CX

	// offset = MaxB1 + n*MaxW1, modulo 1<<16 as the sums are
	IMUL3Q       $const_MaxW1, CX, AX
	ADDQ         $const_MaxB1, AX
	MOVQ         AX, X9
	VPBROADCASTW X9, Y9
	MOVQ         $const_QA, AX
	MOVQ         AX, X11
	VPBROADCASTW X11, Y11
	VPXOR        Y10, Y10, Y10
	VPXOR        Y8, Y8, Y8

	MOVQ $0, R10 // the bytes in progress: of the units, then of their mirror images

half:
	MOVQ SI, R12
	MOVQ DX, R13

chunk:
	VMOVDQU 0(R12), Y0
	VMOVDQU 32(R12), Y1
	VMOVDQU 64(R12), Y2
	VMOVDQU 96(R12), Y3
	VMOVDQU 128(R12), Y4
	VMOVDQU 160(R12), Y5
	VMOVDQU 192(R12), Y6
	VMOVDQU 224(R12), Y7
	XORQ R9, R9

input:
	CMPQ    R9, CX
	JGE     output
	MOVWLZX (R8)(R9*2), R11
	SHLQ    $10, R11 // times ROWS
	ADDQ    R10, R11
	VPADDW  0(DI)(R11*1), Y0, Y0
	VPADDW  32(DI)(R11*1), Y1, Y1
	VPADDW  64(DI)(R11*1), Y2, Y2
	VPADDW  96(DI)(R11*1), Y3, Y3
	VPADDW  128(DI)(R11*1), Y4, Y4
	VPADDW  160(DI)(R11*1), Y5, Y5
	VPADDW  192(DI)(R11*1), Y6, Y6
	VPADDW  224(DI)(R11*1), Y7, Y7
	INCQ    R9
	JMP     input

output:
	OUTPUT(Y0, 0)
	OUTPUT(Y1, 32)
	OUTPUT(Y2, 64)
	OUTPUT(Y3, 96)
	OUTPUT(Y4, 128)
	OUTPUT(Y5, 160)
	OUTPUT(Y6, 192)
	OUTPUT(Y7, 224)

	ADDQ  $CHUNK, R10
	ADDQ  $CHUNK, R12
	ADDQ  $CHUNK, R13
	TESTQ $(HALF-1), R10
	JNZ   chunk
	CMPQ  R10, $ROWS
	JLT   half

	// the sum of the eight lanes of Y8
	VEXTRACTI128 $1, Y8, X0
	VPADDD       X0, X8, X8
	VPSHUFD      $0x4E, X8, X0
	VPADDD       X0, X8, X8
	VPSHUFD      $0xB1, X8, X0
	VPADDD       X0, X8, X8
	VMOVD        X8, AX
	VZEROUPPER
	MOVL         AX, ret+40(FP)
	RET
